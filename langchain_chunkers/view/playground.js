"use strict";
const form = document.getElementById("asked");
const text = document.getElementById("text");
let waiting = 0;
function show() {
  for (const slider of form.querySelectorAll("input[type=range]")) {
    slider.nextElementSibling.textContent = slider.value;
  }
  clearTimeout(waiting);
  waiting = setTimeout(() => form.submit(), 250);
}
form.addEventListener("input", show);
document.getElementById("file").addEventListener("change", async (event) => {
  const file = event.target.files[0];
  if (file) {
    text.value = await file.text();
    show();
  }
});
show();
