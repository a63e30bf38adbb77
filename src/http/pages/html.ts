import { hashSource, pageHtml, sharedStyle as shared } from '#http/pageFrame.ts'
import { escapeHtml } from '#kit/escapeHtml.ts'
import { isPlainHost } from '#kit/hostName.ts'

/** HTML that is inserted without escaping. */
export type Html = { readonly html: string }
type HtmlPart = Html | string | number | undefined | false | readonly HtmlPart[]

function renderPart(part: HtmlPart): string {
  if (part === undefined || part === false) return ''
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(`${part}`)
  return 'html' in part ? part.html : part.map(renderPart).join('')
}

/** A template whose values are escaped, unless they are `Html`. */
export const html = (texts: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html => ({
  html: texts.reduce((before, text, at) => before + renderPart(parts[at - 1]) + text),
})

const pageStyle = `
b, span, small, li, td, option, code, label { unicode-bidi: isolate }
body:has(main.narrow) { display: grid; place-content: center; grid-template-columns: minmax(0, 416px); min-height: 100vh; padding: 24px }
main.narrow { max-width: none; margin: 0; padding: 32px; font-size: 14px; line-height: 20px; background: var(--card); border: 1px solid var(--line); border-radius: 12px; box-shadow: 0 8px 32px light-dark(#15191d29, #000000a6), 0 1px 4px light-dark(#15191d14, #00000080) }
main.narrow .card { padding: 0; border: 0 } @media (max-width: 479px) { body:has(main.narrow) { padding: 16px } main.narrow { padding: 24px } }
.environment { margin-left: auto; padding: 0 8px; border-radius: 99px; background: var(--accent-soft); color: var(--accent-strong); font-size: 11px; font-weight: 600; line-height: 20px } .environment.sandbox { background: var(--wait-soft); color: var(--wait) }
h1 + form, h1 + p, p + form { margin-top: 1.5rem }
header { display: flex; flex-wrap: wrap; gap: 8px 20px; align-items: center; margin-bottom: 24px }
nav { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; align-items: center } nav button { margin: 0; padding: 0; min-height: 0; border: 0; background: none; color: var(--accent); font-weight: 400; text-decoration: underline; text-underline-offset: 3px }
.copy { margin: 8px 0 0 8px; min-height: 28px; padding: 0 10px; font-size: 13px } .button { display: inline-block; margin-top: 1.25rem; padding: 8px 14px; font-weight: 500; color: var(--on-accent); background: var(--accent); border-radius: 6px; text-decoration: none }
fieldset { margin: 0; padding: 0; border: 0 } legend { padding: 0; font-size: 0.875rem; color: var(--soft) } label.choice { display: flex; gap: 0.6rem; align-items: baseline; margin-top: 0.6rem; color: var(--ink); font-size: 1rem } .choice input { display: inline; width: auto; margin: 0; flex: none; accent-color: var(--accent) } .choice small { display: block; color: var(--soft) }
.next { padding: 1rem 1.25rem; list-style: none } .next li + li { margin-top: 0.5rem }
.card { padding: 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: 8px } .card + .card { margin-top: 0.75rem } .card + p, label + p, p + .notice, p + .error { margin-top: 1rem }
label { display: block; margin-top: 1rem; font-weight: 500 } .card > label:first-child, form > label:first-child, input[type="hidden"] + label { margin-top: 0 }
input, select { display: block; width: 100%; margin-top: 0.25rem; padding: 0 10px; height: 36px; font: inherit; color: var(--ink);
  background: var(--card); border: 1px solid var(--line-strong); border-radius: 6px }
input:focus-visible, select:focus-visible, button:focus-visible, a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
button { margin-top: 1.25rem; padding: 0 14px; min-height: 36px; font: inherit; font-weight: 500; color: var(--on-accent); background: var(--accent);
  border: 1px solid var(--accent); border-radius: 6px; cursor: pointer }
button.quiet { color: var(--ink); background: var(--card); border-color: var(--line-strong) } button.wide { width: 100% }
.row { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center; justify-content: space-between } .row button, .row select { margin: 0; width: auto }
.row + .row { margin-top: 0.75rem; padding-top: 0.75rem; border-top: 1px solid var(--line) } .row form, .forms { display: flex; flex-wrap: wrap; gap: 0.5rem }
.row .who { flex: 1 1 12rem } form + p { margin-top: 1.25rem } .who { min-width: 0; overflow-wrap: anywhere } .who small { display: block; color: var(--soft) }
.notice, .error { padding: 0.75rem 1rem; border: 1px solid var(--line); border-left: 3px solid var(--accent); border-radius: 6px; background: var(--card); color: var(--ink); overflow-wrap: anywhere }
.error { border-left-color: var(--bad) } .notice + *, .error + * { margin-top: 1rem }
ul.plain { margin: 0.75rem 0 0; padding: 0; list-style: none } ul.plain li { margin: 0; padding: 0.4rem 0; border-top: 1px solid var(--line) } ul.plain li:first-child { border: 0 }
li small { color: var(--soft) } .actions { display: flex; flex-wrap: wrap; gap: 0.75rem } .actions button { flex: 1 1 8rem }
`
const style = shared + pageStyle
/** Adds a button beside each text to copy. Without clipboard access, as on a page without TLS, it selects the text. */
const copyScript = `for (const text of document.querySelectorAll('[data-copy]')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'quiet copy'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text.textContent)
      button.textContent = 'Copied'
    } catch {
      getSelection().selectAllChildren(text)
      button.textContent = 'Selected: copy it'
    }
  })
  text.after(button)
}`
const [styleHash, scriptHash] = [hashSource(style), hashSource(copyScript)]

/** An origin as a policy source; its parts cannot contain policy syntax. Throws for any other host. */
function policySource({ protocol, hostname, port }: URL): string {
  if (!isPlainHost(hostname)) throw new Error('The host is not a valid source for a content security policy.')
  return `${protocol}//${hostname}${port && `:${port}`}`
}

/** A page may only use its own style and script. Its forms may go to its own origin and to `formTargets`. */
export const contentSecurityPolicy = (formTargets: readonly URL[] = []) =>
  `default-src 'none'; style-src ${styleHash}; script-src ${scriptHash}; base-uri 'none'; frame-ancestors 'none'; form-action ${["'self'", ...formTargets.map(policySource)].join(' ')}`

export type HtmlPage = {
  title: string
  environment: string
  body: Html
  /** The narrow layout, for forms. */
  isNarrow?: boolean
  /** The links above the title. */
  navigation?: Html
}

/** A text with a button that copies it. */
export const copyable = (text: string): Html => html`<code data-copy>${text}</code>`

/** The mark of the environment, as on the pages of the dashboard. */
const environmentMark = (environment: string) =>
  `<span class="environment ${environment}">${environment === 'sandbox' ? 'Sandbox' : 'Production'}</span>`

/** A link to the server's other environment, which has its own sign-in. */
const environmentSwitch = (environment: string) =>
  environment === 'sandbox'
    ? '<a class="switch" href="/dashboard">Switch to production</a>'
    : '<a class="switch" href="/sandbox/dashboard">Switch to the sandbox</a>'

/** A complete page, which works without its script. */
export const renderPage = ({ title, environment, body, isNarrow = true, navigation }: HtmlPage): string =>
  pageHtml({
    title: `${escapeHtml(title)} · Aglet`,
    style,
    body: `<main${isNarrow ? ' class="narrow"' : ''}>
<header><a class="brand" href="/">Aglet</a>${environmentMark(environment)}${environmentSwitch(environment)}${navigation?.html ?? ''}</header>
<h1>${escapeHtml(title)}</h1>
${body.html}
</main>
${body.html.includes(' data-copy') ? `<script>${copyScript}</script>` : ''}`,
  })
