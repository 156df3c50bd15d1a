"use strict";
(() => {
  const root = document.documentElement;
  const box = document.getElementById("q");
  const found = document.getElementById("found");
  const chips = [...document.querySelectorAll(".chip")];
  const OPEN_AT_MOST = 500;

  for (const element of document.querySelectorAll(".find, #theme, .copy")) element.hidden = false;
  for (const chip of chips) chip.disabled = false;

  // Theme: what the system says, until the reader says otherwise.
  const remembered = () => { try { return localStorage.getItem("understudy-theme"); } catch { return null; } };
  const remember = (theme) => { try { localStorage.setItem("understudy-theme", theme); } catch { /* private window */ } };
  if (remembered() === "dark" || remembered() === "light") root.dataset.theme = remembered();
  document.getElementById("theme").addEventListener("click", () => {
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
    remember(root.dataset.theme);
  });

  // What is searched is read once, when it is first needed: opening the page costs nothing.
  let cases = null;
  const read = () => [...document.querySelectorAll(".c")].map((element) => {
    const group = element.closest(".group");
    const parts = [group ? group.dataset.g : ""];
    if (element.tagName === "DETAILS") {
      for (const part of element.querySelectorAll("summary b, .id, .headline, .m")) parts.push(part.textContent);
    } else {
      parts[0] += "::" + element.firstElementChild.textContent;
      for (const remark of element.getElementsByTagName("em")) parts.push(remark.textContent);
    }
    return { element, text: parts.join("\n").toLowerCase(), kind: element.classList[1] };
  });

  const show = (element, isShown) => { if (element.hidden === isShown) element.hidden = !isShown; };
  const hasShown = (element) => element.querySelector(".c:not([hidden])") !== null;
  let openedByUs = [];

  const filter = () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    const kinds = new Set(chips.filter((chip) => chip.getAttribute("aria-pressed") === "true").map((chip) => chip.dataset.kind));
    const isFiltering = words.length > 0 || kinds.size > 0;
    cases ??= read();
    let count = 0;
    for (const entry of cases) {
      const matches = (!kinds.size || kinds.has(entry.kind)) && words.every((word) => entry.text.includes(word));
      count += matches;
      show(entry.element, matches);
    }
    // A parent stays with its rows, or nobody would know whose they are.
    for (const tree of document.querySelectorAll(".tree")) {
      const rows = tree.lastElementChild;
      show(rows, hasShown(rows));
      if (!rows.hidden) show(tree.firstElementChild, true);
    }
    for (const link of document.querySelectorAll(".jump")) show(link, !isFiltering);
    for (const section of document.querySelectorAll("section:not(#about), .group")) {
      show(section, !isFiltering || hasShown(section));
    }
    for (const folded of openedByUs) folded.open = false;
    openedByUs = [];
    if (isFiltering && count <= OPEN_AT_MOST) {
      for (const folded of document.querySelectorAll(".group:not([open]):not([hidden]), .rows:not([open]):not([hidden])")) {
        folded.open = true;
        openedByUs.push(folded);
      }
    }
    found.textContent = isFiltering ? `${count.toLocaleString("en")} of ${cases.length.toLocaleString("en")}` : "";
  };

  let waiting = 0;
  box.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(filter, 80); });
  for (const chip of chips) {
    chip.addEventListener("click", () => {
      chip.setAttribute("aria-pressed", String(chip.getAttribute("aria-pressed") !== "true"));
      filter();
    });
  }
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== box && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      box.focus();
      box.select();
    } else if (event.key === "Escape" && document.activeElement === box) {
      box.value = "";
      filter();
      box.blur();
    }
  });

  // Copying: older browsers, and pages opened from a disk in some, have no clipboard to write to.
  const copied = (button) => {
    button.textContent = "copied";
    setTimeout(() => { button.textContent = "copy"; }, 1500);
  };
  const selectToCopy = (pre, button) => {
    getSelection().selectAllChildren(pre);
    if (document.execCommand("copy")) copied(button);
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest(".copy");
    if (!button) return;
    const pre = button.parentElement.querySelector("pre");
    if (!navigator.clipboard) return selectToCopy(pre, button);
    navigator.clipboard.writeText(pre.textContent).then(() => copied(button), () => selectToCopy(pre, button));
  });

  // A link to a case unfolds it.
  const unfold = () => {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    if (target && target.tagName === "DETAILS") target.open = true;
  };
  addEventListener("hashchange", unfold);
  unfold();
})();
