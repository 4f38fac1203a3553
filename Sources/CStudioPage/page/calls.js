// The way into calls: what this computer has for it, the switch, and oneself as others see it.
import { say } from "/socket.js";
import { ask } from "/state.js";
import { titled } from "/controls.js";
import { icon } from "/icons.js";

/** @type {Find} */ const $ = (id) => document.getElementById(id);
// The doctor speaks in lines; commands stay as they are typed.
const sentence = (text) => (text.startsWith("sudo ") ? text : text.replace(/^./, (letter) => letter.toUpperCase()));
const dialog = $("calls");
/** @type {Studio.LiveState} */ let state = null;

$("calls-open").onclick = () => {
  dialog.showModal();
  look();
  requestAnimationFrame(draw);
};
$("calls-again").onclick = look;
$("live-virtual").onclick = () => say({ do: "virtual-camera", value: !state?.virtualCamera });

// What the doctor knows of the ways to call programs.
async function look() {
  const list = $("calls-findings");
  $("calls-again").disabled = true;
  if (!list.children.length) list.replaceChildren(Object.assign(document.createElement("li"), { textContent: "Looking at PipeWire and v4l2loopback …" }));
  try {
    const findings = await (await ask("/api/calls")).json();
    list.replaceChildren(...findings.map((finding) => {
      const item = Object.assign(document.createElement("li"), { className: finding.state });
      item.innerHTML = icon({ good: "check", advice: "help", bad: "close" }[finding.state]);
      const text = document.createElement("span");
      text.append(Object.assign(document.createElement("b"), { textContent: /\d/.test(finding.title) ? finding.title : titled(finding.title) }), ` ${sentence(finding.text)}`);
      if (finding.remedy && finding.state !== "good") text.append(Object.assign(document.createElement("small"), { textContent: sentence(finding.remedy) }));
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
  $("calls-open").querySelector("span").textContent = name ? "In use for calls" : "Use in calls";
  $("live-virtual").setAttribute("aria-pressed", String(Boolean(name)));
  $("live-virtual").querySelector("span").textContent = name ? "End the virtual camera" : "Start the virtual camera";
  $("live-virtual-text").textContent = name ? `In the call program, choose the camera “${name}”. In Chromium, turn on chrome://flags/#enable-webrtc-pipewire-camera first.` : "Call programs then see this picture as a camera.";
  $("calls-seen").hidden = !name;
  $("calls-ways").open = !name;
  const { status } = state;
  $("calls-state").textContent = status.showing === "standby" ? `Others see the standby frame: ${status.reason ?? "there is no picture"}.` : status.showing === "frozen" ? "Others see this held picture." : "This is what others see.";
}

// The very picture that the virtual camera gets.
function draw() {
  if (!dialog.open) return;
  requestAnimationFrame(draw);
  if ($("calls-seen").hidden) return;
  const [from, to] = [$("live-canvas"), $("calls-canvas")];
  if (to.width !== from.width || to.height !== from.height) [to.width, to.height] = [from.width, from.height];
  to.getContext("2d", { alpha: false }).drawImage(from, 0, 0);
}
