import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { EnvironmentName } from '#contract/me.ts'
import { ownCommand } from '#kit/ownCommand.ts'

type StatusPageContent = {
  version: string
  brand: string
  environments: readonly { environment: EnvironmentName; baseUrl: string; tagUrls: string }[]
}

/** The style that all pages share. */
export const sharedStyle = `
:root { color-scheme: light dark; --ink: #1b1d22; --soft: #5d6470; --line: #dfe2e8; --ground: #fbfbfc; --card: #fff; --mark: #0b6e4f }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e9ebef; --soft: #9aa2af; --line: #2d323b; --ground: #14161a; --card: #1b1e24; --mark: #5fd0a5 } }
* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.6 system-ui, sans-serif }
main { max-width: 46rem; margin: 0 auto; padding: clamp(1.25rem, 5vw, 4rem) 1.25rem }
h1 { margin: 0; font-size: 1.75rem; letter-spacing: -0.02em } h2 { margin: 2.5rem 0 0.75rem; font-size: 1rem }
p { margin: 0.25rem 0 0; color: var(--soft) } a { color: var(--mark) }
.running::before { content: ""; display: inline-block; width: 0.6em; height: 0.6em; margin-right: 0.5em; border-radius: 50%; background: var(--mark) }
dl, ol { margin: 0; padding: 1rem 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: 0.75rem }
ol { padding-left: 2.5rem } li + li { margin-top: 0.75rem } dl + dl { margin-top: 0.75rem }
dt { color: var(--soft); font-size: 0.875rem } dd { margin: 0 0 0.5rem; overflow-wrap: anywhere } dd:last-child { margin: 0 } code { font: 0.875em/1.5 ui-monospace, monospace; overflow-wrap: anywhere }
`

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
export const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (letter) => entities[letter]!)

const environmentHtml = ({ environment, baseUrl, tagUrls }: StatusPageContent['environments'][number]) => `
<dl>
<dt>Environment</dt><dd>${escapeHtml(environment)}</dd>
<dt>Base address</dt><dd><code>${escapeHtml(baseUrl)}</code> · <a href="${escapeHtml(baseUrl)}/openapi.json">OpenAPI</a></dd>
<dt>Tag URLs</dt><dd><code>${escapeHtml(tagUrls)}</code></dd>
</dl>`

/** The page at `/`: the status, the addresses and the next steps. It contains no secret and no script. */
export const statusPageHtml = ({ version, brand, environments }: StatusPageContent): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Aglet</title>
<style>${sharedStyle}</style>
</head>
<body>
<main>
<h1>Aglet</h1>
<p class="running">Running, version ${escapeHtml(version)} · <a href="/readyz">readiness</a> · <a href="/metrics">metrics</a> · <a href="/docs">API reference</a> · <a href="/dashboard">dashboard</a> · <a href="/v1/account/sign-in">sign in</a></p>
<h2>Next</h2>
<ol>
<li><a href="/v1/account/sign-in">Sign in</a>: the first start printed a link. <code>${ownCommand} sign-in</code> prints another one while the server runs.</li>
<li>Send a first event: the first start printed a <code>curl</code> for it, and one that reads the event's journey.</li>
<li>Make your own team, tag and token: <code>${ownCommand} team create --name "Your team"</code>, then
<code>tag create</code> and <code>token create</code>.</li>
</ol>
<h2>Addresses</h2>
${environments.map(environmentHtml).join('\n')}
<p>Events may name their user in the header <code>${escapeHtml(brand)}UserId</code>.</p>
</main>
</body>
</html>
`

const styleHash = createHash('sha256').update(sharedStyle).digest('base64')
const statusPagePolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

export function statusPageRoute(app: FastifyInstance, content: StatusPageContent): void {
  const html = statusPageHtml(content)
  app.get('/', async (_request, reply) =>
    reply.type('text/html; charset=utf-8').header('content-security-policy', statusPagePolicy).send(html),
  )
}
