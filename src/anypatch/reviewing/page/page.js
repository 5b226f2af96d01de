// The review page: sends decisions to the server, and puts what comes back in its place. It decides nothing itself.
"use strict";

const token = location.pathname.split("/")[1];
const base = `/${token}/`;
const body = document.body;
const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
let version = Number(body.dataset.version);
let busy = Promise.resolve();
let isStopped = false;

// ── the server ──

async function get(path) {
  const response = await fetch(base + path);
  if (!response.ok) throw new Error(`${response.status}`);
  return response;
}

/** Send a decision after those before it, and show what is different since. */
function send(action, given = {}) {
  busy = busy.then(async () => {
    try {
      const response = await fetch(`${base}do/${action}`, {
        method: "POST",
        headers: {"Content-Type": "application/json", "X-Anypatch-Token": token},
        body: JSON.stringify({...given, version}),
      });
      if (!response.ok) throw new Error(await response.text());
      show(await response.json());
    } catch (error) {
      if (!isStopped) warn(`That failed: ${error.message}`);
    }
  });
  return busy;
}

function show(reply) {
  version = reply.version;
  body.dataset.done = reply.done ? "yes" : "no";
  $("#summary").textContent = reply.bar.summary;
  $("#waiting").hidden = !reply.bar.waiting;
  $("#waiting button").textContent = reply.bar.waiting;
  const apply = $("#apply");
  apply.textContent = reply.done ? "Applied" : reply.bar.apply;
  apply.setAttribute("aria-disabled", String(reply.done || !reply.bar.ready));
  if (reply.banner !== null) $("#banner").innerHTML = reply.banner;
  else if (reply.say && !reply.done) $("#banner").textContent = "";
  if (reply.main) replaceMain(reply.main);
  for (const [id, state] of Object.entries(reply.states || {})) showState(id, state);
  for (const [id, html] of Object.entries(reply.hunks || {})) replaceHunk(id, html);
  if (reply.say) say(reply.say);
}

/** Show a banner, which is also read aloud. */
function warn(text) {
  const banner = document.createElement("div");
  banner.className = "banner bad";
  banner.setAttribute("role", "alert");
  banner.textContent = text;
  $("#banner").replaceChildren(banner);
}

function say(text) {
  $("#live").textContent = "";
  setTimeout(() => { $("#live").textContent = text; }, 30);
}

// ── drawing ──

const STATES = {kept: "kept", dropped: "left out", partly: "kept in part", open: "needs a decision", unused: "not used",
  unchanged: "already so", edited: "edited"};

function showState(id, given) {
  const element = document.getElementById(id);
  if (!element) return;
  const [state, kept] = given.split(" ");
  element.dataset.state = state;
  if (id.startsWith("f")) {
    const count = $(".kept", element).firstChild;
    count.textContent = count.textContent.replace(/^\d+/, kept);
    return;
  }
  $(".state", element).textContent = STATES[state] || state;
  for (const name of ["keep", "drop"]) {
    const button = $(`:scope > header [data-do=${name}]`, element);
    if (button) button.setAttribute("aria-pressed", String((name === "drop") === (state === "dropped")));
  }
}

function fragment(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}

/** Show a new plan: what was open, focused and scrolled to stays so as far as it is still there. */
function replaceMain(html) {
  const tops = {answer: $("#answer").scrollTop, changes: $("#changes").scrollTop};
  const open = new Map($$(".file").map((file) => [file.getAttribute("aria-label"), isOpen(file)]));
  const focused = document.activeElement && document.activeElement.closest("[id]");
  const id = focused && focused.closest("main") ? focused.id : "";
  $("#main").replaceChildren(fragment(html));
  for (const file of $$(".file")) {
    const was = open.get(file.getAttribute("aria-label"));
    if (was !== undefined) fold(file, was);
  }
  watchAll();
  for (const [name, top] of Object.entries(tops)) document.getElementById(name).scrollTop = top;
  if (!focused || !focused.closest("main") && focused !== body) return;
  const same = id && document.getElementById(id);
  const next = same || $(".card[data-state=open]") || $("#apply");
  next.focus({preventScroll: Boolean(same)});
}

function replaceHunk(id, html) {
  const old = document.getElementById(`h${id}`);
  if (!old) return;
  old.replaceWith(fragment(html));
  if (id === currentId) go(current());
}

// Diffs are fetched when they come into view.
const watcher = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) draw(entry.target);
}, {rootMargin: "600px 0px"});

function watchAll(root = document) {
  for (const element of $$("[data-source]", root)) watcher.observe(element);
}

async function draw(element) {
  const source = element.dataset.source;
  if (!source || !element.isConnected) return;
  delete element.dataset.source;
  watcher.unobserve(element);
  try {
    const html = await (await get(source)).text();
    const parent = element.parentElement;
    element.replaceWith(fragment(html));
    watchAll(parent);
    if (current()) current().classList.add("current");
  } catch {
    element.textContent = "It could not be loaded.";
  }
}

// Old and new lines are side by side where there is room, until somebody chooses.
let isViewChosen = false;

function setView(isSplit) {
  body.dataset.view = isSplit ? "split" : "inline";
  $("[data-call=view]").setAttribute("aria-pressed", String(isSplit));
}

const fitView = () => { if (!isViewChosen) setView($("#changes").clientWidth >= 840); };

// ── folding ──

const isOpen = (file) => !$(".body", file).hidden;

function fold(file, open) {
  $(".body", file).hidden = !open;
  $(".fold", file).setAttribute("aria-expanded", String(open));
}

/** Unfold a file, and wait until its hunks are drawn. */
async function unfold(file) {
  fold(file, true);
  const waiting = $("[data-source]", file);
  if (waiting) await draw(waiting);
}

// ── moving ──

let currentId = "";
const current = () => document.getElementById(`h${currentId}`);

function go(hunk, {focus = true} = {}) {
  if (!hunk) return;
  for (const other of $$(".hunk.current, .block.linked")) other.classList.remove("current", "linked");
  hunk.classList.add("current");
  currentId = hunk.dataset.id;
  if (focus) hunk.focus({preventScroll: true});
  hunk.scrollIntoView({block: "nearest"});
  link(hunk.dataset.block, true);
}

function link(number, isGentle = false) {
  const block = number && document.getElementById(`b${number}`);
  if (!block) return null;
  for (const other of $$(".block.linked")) other.classList.remove("linked");
  block.classList.add("linked");
  if (block.offsetParent) block.scrollIntoView({block: isGentle ? "nearest" : "center"});
  return block;
}

/** Go to the next hunk or the one before, into the next file if need be. */
async function step(by) {
  pane("changes");
  const here = current();
  const near = here && sibling(here, by);
  if (near) return go(near);
  const files = $$(".file");
  const at = here ? files.indexOf(here.closest(".file")) + by : by > 0 ? 0 : files.length - 1;
  return stepFile(at, by);
}

function sibling(hunk, by) {
  const hunks = $$(".hunk", hunk.closest(".file"));
  return hunks[hunks.indexOf(hunk) + by];
}

async function stepFile(at, by) {
  const file = $$(".file")[at];
  if (!file) return say(by > 0 ? "This is the last change." : "This is the first change.");
  await unfold(file);
  const hunks = $$(".hunk", file);
  return go(by > 0 ? hunks[0] : hunks[hunks.length - 1]);
}

async function nextFile(by) {
  pane("changes");
  const files = $$(".file");
  const here = current();
  const at = here ? files.indexOf(here.closest(".file")) + by : 0;
  if (!files[at]) return say(by > 0 ? "This is the last file." : "This is the first file.");
  await unfold(files[at]);
  return go($(".hunk", files[at]));
}

/** Show the changes of a block. Files are drawn until they are found. */
async function showBlock(number) {
  pane("changes");
  link(number, true);
  const ids = await (await get(`block/${number}`)).json();
  for (const at of ids.files) await unfold(document.getElementById(`f${at}`));
  const hunk = $(`.hunk[data-block="${number}"]`);
  if (hunk) {
    go(hunk);
    hunk.scrollIntoView({block: "start"});
  } else {
    const card = $$(".card").find((one) => $(`[data-show="${number}"]`, one));
    if (card) { card.scrollIntoView({block: "start"}); card.focus({preventScroll: true}); }
  }
}

function pane(name) {
  body.dataset.pane = name;
  for (const tab of $$(".tabs button")) tab.setAttribute("aria-pressed", String(tab.dataset.pane === name));
}

// ── editing ──

async function edit(hunk) {
  if (!hunk || !$("[data-call=edit]", hunk) || body.dataset.done === "yes") return;
  const open = $(".editor textarea", hunk);
  if (open) { open.focus(); return; }
  const {text} = await (await get(`text/${hunk.dataset.id}`)).json();
  const form = document.createElement("form");
  form.className = "editor";
  const area = document.createElement("textarea");
  area.value = text;
  area.rows = Math.min(Math.max(text.split("\n").length, 3), 24);
  area.spellcheck = false;
  area.setAttribute("aria-label", `New lines of change ${hunk.dataset.id}`);
  const buttons = document.createElement("p");
  buttons.innerHTML = '<button type="submit" class="primary">Save</button> <button type="button" data-call="cancel">Cancel</button> <span class="dim">Ctrl+Enter, Esc</span>';
  form.append(area, buttons);
  $(":scope > header", hunk).after(form);
  area.focus();
  area.setSelectionRange(0, 0);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    go(hunk);
    send("edit", {id: hunk.dataset.id, text: area.value});
  });
  area.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    if (event.key === "Escape") closeEditor(form);
    event.stopPropagation();
  });
}

function closeEditor(form) {
  const hunk = form.closest(".hunk");
  form.remove();
  go(hunk);
}

// ── clicks ──

const CALLS = {
  help: () => $("#help").showModal(),
  edit: (button) => edit(button.closest(".hunk")),
  cancel: (button) => closeEditor(button.closest("form")),
  file: (button) => fold(button.closest(".file"), button.getAttribute("aria-expanded") === "false"),
  fold: (button) => {
    const open = button.textContent.startsWith("Unfold");
    for (const file of $$(".file")) fold(file, open);
    button.textContent = open ? "Fold all" : "Unfold all";
  },
  view: () => {
    isViewChosen = true;
    setView(body.dataset.view === "inline");
  },
  copy: async () => {
    const {text} = await (await get("report")).json();
    try {
      await navigator.clipboard.writeText(text);
      say("The report is on the clipboard.");
      flash($("[data-call=copy]"), "Copied");
    } catch {
      $("#report textarea").value = text;
      $("#report").showModal();
      $("#report textarea").select();
    }
  },
  "next-decision": () => {
    pane("changes");
    const card = $(".card[data-state=open]");
    if (card) { card.scrollIntoView({block: "start"}); card.focus({preventScroll: true}); }
  },
};

function flash(button, text) {
  const before = button.textContent;
  button.textContent = text;
  setTimeout(() => { button.textContent = before; }, 1500);
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button");
  const hunk = event.target.closest(".hunk");
  if (!button) {
    const block = event.target.closest(".block");
    if (String(getSelection())) return;  // somebody marks text to copy it
    if (hunk && !event.target.closest(".editor")) go(hunk, {focus: !event.target.closest("a, input, textarea")});
    else if (block && $("[data-block]", block)) showBlock($("[data-block]", block).dataset.block);
    return;
  }
  const {call, show: shown, block, more, pane: name} = button.dataset;
  if (call) await CALLS[call](button);
  else if (button.dataset.do) decide(button, hunk);
  else if (shown) {
    pane("answer");
    const target = link(shown);
    if (target) target.focus({preventScroll: true});
  } else if (block) await showBlock(block);
  else if (name) pane(name);
  else if (more) await replaceMore(button, more);
});

async function replaceMore(button, source) {
  const html = await (await get(source)).text();
  button.replaceWith(fragment(html));
}

function decide(button, hunk) {
  if (button.getAttribute("aria-disabled") === "true") {
    say($("#waiting").hidden ? "There is nothing to apply." : `${$("#waiting").textContent}.`);
    if (!$("#waiting").hidden) CALLS["next-decision"]();
    return;
  }
  const {do: action, id, choice, option} = button.dataset;
  if (hunk) go(hunk, {focus: false});
  send(action, {id: hunk ? hunk.dataset.id : id, choice, option: Number(option)}).then(() => {
    if (action === "apply") { const next = $("#banner button"); if (next) next.focus(); }
    if (action === "undo") $("#apply").focus();
  });
}

document.addEventListener("submit", (event) => {
  const form = event.target.closest(".path-form");
  if (!form) return;
  event.preventDefault();
  send("use-path", {written: form.dataset.written, path: form.elements.path.value.trim()});
});

// ── keys ──

const KEYS = {
  j: () => step(1),
  k: () => step(-1),
  n: () => nextFile(1),
  p: () => nextFile(-1),
  y: () => mark("keep"),
  x: () => mark("drop"),
  e: () => edit(current()),
  a: () => {
    $("#apply").focus();
    const ready = $("#apply").getAttribute("aria-disabled") !== "true";
    say(ready ? `Press Enter: ${$("#apply").textContent}.` : "It can't be applied yet.");
  },
  u: () => send("undo"),
  "?": () => $("#help").showModal(),
};

async function mark(action) {
  const hunk = current();
  if (!hunk) return step(1);
  await send(action, {id: hunk.dataset.id});
  return body.dataset.done === "yes" ? null : step(1);
}

let acting = Promise.resolve();  // a key waits for what the one before it does

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || $("dialog[open]")) return;
  if (event.target.closest("input:not([type=checkbox]), textarea, select") || !$("#keys").checked) return;
  const act = KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  acting = acting.then(act).catch(() => {});
});

// ── life ──

let stream = null;

function connect() {
  stream = new EventSource(`${base}alive`);
  stream.onopen = () => { isStopped = false; };
  stream.onerror = () => {
    if (stream.readyState === EventSource.CONNECTING && !isStopped) setTimeout(check, 2500);
  };
}

async function check() {
  if (stream.readyState === EventSource.OPEN) return;
  isStopped = true;
  warn("anypatch has stopped, so nothing more can be decided here. Run it again in the terminal.");
  stream.close();
}

addEventListener("pagehide", () => stream.close());
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
addEventListener("focus", () => { if (!isStopped && body.dataset.done === "no") send("look"); });

addEventListener("resize", fitView);

fitView();
watchAll();
connect();
