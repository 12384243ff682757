import { a } from "b";

function whole(x) {
  return a(x);
}

<<<<<<< HEAD
function torn(x) {
  if (x {
    return 1;
=======
function torn(y) {
>>>>>>> theirs
}

class Fine {
  method() {
    return "é 👍🏽";
  }

  other() { return 2; }
}
