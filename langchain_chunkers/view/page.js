"use strict";
// Reads the facts of the chunks from the JSON block, and never makes markup of a string: all text
// goes in by textContent.
(() => {
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("data").textContent);
  const lists = [...document.querySelectorAll("ol")];
  const about = byId("about");
  const chunksOf = lists.map((list) => [...list.querySelectorAll("li.c")]);

  // ---------------------------------------------------------------- what a chunk is
  let shown = null;
  function show(item) {
    if (item === shown) return;
    if (shown) shown.classList.remove("on");
    document.querySelectorAll("mark.on").forEach((mark) => mark.classList.remove("on"));
    shown = item;
    item.classList.add("on");
    const pane = Number(item.dataset.pane), number = Number(item.dataset.n);
    const facts = document.createElement("dl");
    for (const [key, value] of data[pane].chunks[number].about) {
      const pair = document.createElement("div");
      const dt = document.createElement("dt"), dd = document.createElement("dd");
      dt.textContent = key;
      dd.textContent = value;
      pair.append(dt, dd);
      facts.append(pair);
    }
    about.replaceChildren(facts);
    lists[pane].querySelectorAll(`mark[data-n="${number}"]`).forEach((m) => m.classList.add("on"));
  }

  function go(item) {
    if (!item) return;
    const pane = Number(item.dataset.pane);
    for (const other of lists[pane].querySelectorAll('li[tabindex="0"]')) other.tabIndex = -1;
    item.tabIndex = 0;
    item.focus({ preventScroll: true });
    item.scrollIntoView({ block: "nearest" });
    show(item);
  }

  // ---------------------------------------------------------------- linked scrolling
  let leader = null, waiting = false;
  const inside = (list) => list.getBoundingClientRect().top + list.clientTop;

  function placeAtTop(pane) {
    const items = chunksOf[pane], top = inside(lists[pane]);
    let low = 0, high = items.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (items[middle].getBoundingClientRect().bottom > top) high = middle; else low = middle + 1;
    }
    const box = items[low].getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (top - box.top) / (box.height || 1)));
    const { fresh, end } = data[pane].chunks[low];
    return fresh + share * Math.max(0, end - fresh);
  }

  function scrollToPlace(pane, place) {
    const chunks = data[pane].chunks, items = chunksOf[pane];
    let low = 0, high = chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (chunks[middle].fresh <= place) low = middle; else high = middle - 1;
    }
    const { fresh, end } = chunks[low];
    const share = Math.min(1, Math.max(0, (place - fresh) / Math.max(1, end - fresh)));
    const box = items[low].getBoundingClientRect();
    lists[pane].scrollTop += box.top + share * box.height - inside(lists[pane]);
  }

  function follow(again) {
    waiting = false;
    if (leader === null || !byId("linked").checked || !chunksOf[leader].length) return;
    const share = placeAtTop(leader) / Math.max(1, data[leader].length);
    lists.forEach((list, pane) => {
      if (pane === leader || !chunksOf[pane].length) return;
      scrollToPlace(pane, share * data[pane].length);
    });
    // chunks out of sight have estimated heights; once they are laid out, the place is exact
    if (again > 0) requestAnimationFrame(() => follow(again - 1));
  }

  lists.forEach((list, pane) => {
    const lead = () => { leader = pane; };
    for (const kind of ["pointerenter", "pointerdown", "wheel", "touchstart", "focusin", "keydown"])
      list.addEventListener(kind, lead, { passive: true });
    list.addEventListener("scroll", () => {
      if (leader === null) leader = pane;
      if (pane !== leader || waiting) return;
      waiting = true;
      requestAnimationFrame(() => follow(2));
    }, { passive: true });
    list.addEventListener("pointerover", (event) => {
      const item = event.target.closest("li.c");
      if (item) show(item);
    });
    list.addEventListener("click", (event) => {
      const item = event.target.closest("li.c");
      if (item && getSelection().isCollapsed && !event.target.closest("details")) go(item);
    });
    list.addEventListener("focusin", (event) => {
      const item = event.target.closest("li.c");
      if (item) show(item);
    });
    // Single letters act only while a list has the focus (WCAG 2.1.4)
    list.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("summary")) return;
      const items = chunksOf[pane], item = document.activeElement.closest("li.c");
      const at = item ? Number(item.dataset.n) : -1;
      const to = {
        ArrowDown: at + 1, j: at + 1, ArrowUp: at - 1, k: at - 1, Home: 0, End: items.length - 1,
      }[event.key];
      if (event.key === "/") {
        byId("query").focus();
      } else if (to === undefined) {
        return;
      } else {
        go(items[Math.min(items.length - 1, Math.max(0, to))]);
      }
      event.preventDefault();
    });
  });

  // ---------------------------------------------------------------- search
  const most = 5000; // matches that are painted; more would make typing slow
  let matches = [], current = -1, indexes = null, searched = "";

  function indexOf(list) {
    const nodes = [], starts = [];
    let text = "";
    const walker = document.createTreeWalker(list, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      if (!node.parentElement.closest(".s, .x, .e div")) continue;
      nodes.push(node);
      starts.push(text.length);
      text += node.data;
    }
    return { nodes, starts, text };
  }

  function rangeIn(index, from, to) {
    const { nodes, starts } = index;
    const find = (place) => {
      let low = 0, high = starts.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (starts[middle] <= place) low = middle; else high = middle - 1;
      }
      return low;
    };
    const first = find(from), last = find(to - 1), range = document.createRange();
    range.setStart(nodes[first], from - starts[first]);
    range.setEnd(nodes[last], to - starts[last]);
    return range;
  }

  function search() {
    const query = byId("query").value;
    if (query === searched) return;
    searched = query;
    matches = [];
    current = -1;
    let more = false;
    if (query) {
      indexes ??= lists.map(indexOf);
      const pattern = new RegExp(query.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&"), "giu");
      for (const index of indexes) {
        for (const found of index.text.matchAll(pattern)) {
          if (matches.length >= most) { more = true; break; }
          matches.push(rangeIn(index, found.index, found.index + found[0].length));
        }
      }
    }
    if (window.CSS?.highlights) {
      CSS.highlights.delete("here");
      CSS.highlights.set("found", new Highlight(...matches));
    }
    say(query ? `${matches.length}${more ? " or more" : ""} found` : "");
  }

  const say = (text) => { byId("count").textContent = text; };

  function step(by) {
    if (!matches.length) return;
    current = (current + by + matches.length) % matches.length;
    const range = matches[current];
    if (window.CSS?.highlights) CSS.highlights.set("here", new Highlight(range));
    const item = range.startContainer.parentElement.closest("li");
    const details = range.startContainer.parentElement.closest("details");
    if (details) details.open = true;
    if (item.matches(".c")) {
      leader = Number(item.dataset.pane);
      show(item);
    }
    item.scrollIntoView({ block: "nearest" });
    const list = item.parentElement;
    list.scrollTop += range.getBoundingClientRect().top - inside(list) - list.clientHeight / 3;
    say(`${current + 1} of ${matches.length}`);
  }

  let timer = 0;
  byId("query").addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(search, 120);
  });
  byId("find").addEventListener("submit", (event) => event.preventDefault());
  byId("query").addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      search(); // what was typed since the last pause
      step(event.shiftKey ? -1 : 1);
      event.preventDefault();
    } else if (event.key === "Escape") {
      byId("query").value = "";
      search();
      go(shown ?? chunksOf[0]?.[0]);
    }
  });
  byId("next").addEventListener("click", () => { search(); step(1); });
  byId("previous").addEventListener("click", () => { search(); step(-1); });
  byId("theme").addEventListener("change", (event) => {
    document.documentElement.dataset.theme = event.target.value;
  });
  byId("linking").hidden = lists.length < 2;
})();
