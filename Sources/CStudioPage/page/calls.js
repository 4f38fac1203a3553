// Video calls: the checks of this computer, the switch, and the picture that others see.
import { words } from "/words.js";
import { say } from "/socket.js";
import { ask } from "/state.js";
import { titled } from "/controls.js";
import { icon } from "/icons.js";

/** @type {Find} */ const $ = (id) => document.getElementById(id);
// Findings begin in lower case; commands stay unchanged.
const sentence = (text) => (text.startsWith("sudo ") ? text : text.replace(/^./, (letter) => letter.toUpperCase()));
const dialog = $("calls");
/** @type {Studio.LiveState} */ let state = null;

$("calls-open").onclick = () => {
  dialog.showModal();
  check();
  requestAnimationFrame(draw);
};
$("calls-again").onclick = check;
$("live-virtual").onclick = () => say({ do: "virtual-camera", value: !state?.virtualCamera });

// Shows the doctor's findings about call programs.
async function check() {
  const list = $("calls-findings");
  $("calls-again").disabled = true;
  if (!list.children.length) list.replaceChildren(Object.assign(document.createElement("li"), { textContent: words.calls.looking }));
  try {
    const findings = await (await ask("/api/calls")).json();
    list.replaceChildren(...findings.map((finding) => {
      const item = Object.assign(document.createElement("li"), { className: finding.state });
      item.innerHTML = icon({ good: "check", advice: "help", bad: "close" }[finding.state]);
      const text = document.createElement("span");
      text.append(Object.assign(document.createElement("b"), { textContent: /\d/.test(finding.title) ? finding.title : titled(finding.title) }), ` ${sentence(finding.text)}`);
      if (finding.hint && finding.state !== "good") text.append(Object.assign(document.createElement("small"), { textContent: sentence(finding.hint) }));
      item.append(text);
      return item;
    }));
    const way = findings.find((finding) => finding.id === "output");
    $("live-virtual").disabled = way?.state === "bad" && !state?.virtualCamera;
  } catch (trouble) {
    list.replaceChildren(Object.assign(document.createElement("li"), { className: "bad", textContent: trouble.message }));
  } finally { $("calls-again").disabled = false; }
}

export function showCalls(fresh) {
  state = fresh;
  const name = state.virtualCamera;
  $("calls-open").setAttribute("aria-pressed", String(Boolean(name)));
  $("calls-open").querySelector("span").textContent = name ? words.calls.inUse : words.calls.use;
  $("live-virtual").setAttribute("aria-pressed", String(Boolean(name)));
  $("live-virtual").querySelector("span").textContent = name ? words.calls.end : words.calls.start;
  $("live-virtual-text").textContent = name ? words.calls.choose(name) : words.calls.about;
  $("calls-seen").hidden = !name;
  $("calls-ways").open = !name;
  const { status } = state;
  $("calls-state").textContent = status.showing === "standby" ? words.calls.standby(status.reason) : status.showing === "frozen" ? words.calls.frozen : words.calls.live;
}

// The same picture that the virtual camera gets.
function draw() {
  if (!dialog.open) return;
  requestAnimationFrame(draw);
  if ($("calls-seen").hidden) return;
  const [from, to] = [$("live-canvas"), $("calls-canvas")];
  if (to.width !== from.width || to.height !== from.height) [to.width, to.height] = [from.width, from.height];
  to.getContext("2d", { alpha: false }).drawImage(from, 0, 0);
}
