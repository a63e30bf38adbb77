import type { EnvironmentName } from '#contract/me.ts'
import { escapeHtml } from '#kit/escapeHtml.ts'
import { ownCommand } from '#kit/ownCommand.ts'
import { hashSource, pageHtml, sendHtml, sharedStyle, topBar } from './pageFrame.ts'
import type { PlainApp } from './plainRoute.ts'

type StatusPageContent = {
  version: string
  brand: string
  environments: readonly { environment: EnvironmentName; baseUrl: string; tagUrls: string }[]
}

const environmentHtml = ({ environment, baseUrl, tagUrls }: StatusPageContent['environments'][number]) => `
<dl>
<dt>Environment</dt><dd>${escapeHtml(environment)}</dd>
<dt>Base address</dt><dd><code>${escapeHtml(baseUrl)}</code> · <a href="${escapeHtml(baseUrl)}/openapi.json">OpenAPI</a></dd>
<dt>Tag URLs</dt><dd><code>${escapeHtml(tagUrls)}</code></dd>
</dl>`

/** The page at `/`: the status, the addresses and the next steps. It contains no secret and no script. */
export const statusPageHtml = ({ version, brand, environments }: StatusPageContent): string =>
  pageHtml({
    title: 'Aglet',
    style: sharedStyle,
    body: `${topBar('/')}
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
</main>`,
  })

const statusPagePolicy = `default-src 'none'; style-src ${hashSource(sharedStyle)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

export function statusPageRoute(app: PlainApp, content: StatusPageContent): void {
  const html = statusPageHtml(content)
  app.get('/', async (_request, reply) => sendHtml(reply, statusPagePolicy, html))
}
