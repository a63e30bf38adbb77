import type { PreviewState } from '#contract/previewLink.ts'

type Words = Record<'none' | 'testMode' | 'expired' | 'usedUp' | 'unknown' | 'until' | 'stop', string>

const english: Words = {
  none: 'Preview: nothing is sent',
  testMode: 'Preview: only vendors’ test modes get events',
  expired: 'The preview has expired: events are real',
  usedUp: 'The preview has used all of its events: events are real',
  unknown: 'This is not a preview of this site: events are real',
  until: 'until',
  stop: 'Stop',
}
const german: Words = {
  none: 'Vorschau: nichts wird gesendet',
  testMode: 'Vorschau: nur Testmodi von Anbietern erhalten Ereignisse',
  expired: 'Die Vorschau ist abgelaufen: Ereignisse sind echt',
  usedUp: 'Die Vorschau hat alle Ereignisse verbraucht: Ereignisse sind echt',
  unknown: 'Das ist keine Vorschau dieser Website: Ereignisse sind echt',
  until: 'bis',
  stop: 'Beenden',
}

/** Any Content-Security-Policy allows style sheets that a script constructs. */
const css = `
:host { all: initial; position: fixed; inset: auto auto 12px 12px; z-index: 2147483647; }
div { display: flex; gap: 12px; align-items: center; padding: 8px 12px; border-radius: 8px; max-width: 90vw;
  font: 14px/1.4 system-ui, sans-serif; color: #fff; background: #1f2937; border: 1px solid #fff; }
.over { background: #991b1b; }
button { font: inherit; color: inherit; background: none; border: 1px solid; border-radius: 6px; padding: 4px 10px;
  min-height: 28px; cursor: pointer; }
button:focus-visible { outline: 2px solid #fff; outline-offset: 2px; }`

/** The maximum delay of a timer. */
const maxDelayMs = 2 ** 31 - 1

/** Shows that this tab runs a preview, in a root that the page's scripts and styles cannot reach. */
export function showBadge(state: PreviewState | undefined, stop: () => void): void {
  const words = navigator.language.startsWith('de') ? german : english
  const host = document.createElement('aglet-preview')
  const root = host.attachShadow({ mode: 'closed' })
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  root.adoptedStyleSheets = [sheet]
  const box = document.createElement('div')
  const text = document.createElement('span')
  const button = document.createElement('button')
  box.setAttribute('role', 'status')
  button.type = 'button'
  button.textContent = words.stop
  button.onclick = () => {
    stop()
    host.remove()
    location.reload()
  }
  const refuse = (reason: NonNullable<PreviewState['refused']>) => {
    text.textContent = words[reason]
    box.className = 'over'
    stop() // the next page is an ordinary one
  }
  const { deliver, expiresAt } = state ?? {}
  if (deliver && expiresAt) {
    const time = new Date(expiresAt).toLocaleTimeString(navigator.language, { hour: '2-digit', minute: '2-digit' })
    text.textContent = `${words[deliver]} (${words.until} ${time})`
    setTimeout(() => refuse('expired'), Math.min(expiresAt - Date.now(), maxDelayMs))
  } else refuse(state?.refused ?? 'unknown')
  box.append(text, button)
  root.append(box)
  document.documentElement.append(host)
}
