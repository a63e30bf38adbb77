import type { Tag } from '#contract/tag.ts'

/** The snippets that add a tag to a site, as in docs/sdk.md. */
const stub = `window.aglet = window.aglet || function () {
    var call = arguments
    return new Promise(function (resolve) { (aglet.q = aglet.q || []).push([resolve, call]) })
  }
  aglet('init')
  aglet('tag', 'PageView')`

export const snippets = {
  page: (tagUrl: string) => `<script>
  ${stub}
</script>
<script async src="${tagUrl}/load"></script>`,
  module: (tagUrl: string) => `import { init, tag } from 'aglet/browser'

init({ tagUrl: '${tagUrl}' })
tag('PageView')`,
  server: (tagUrl: string) => `curl ${tagUrl}/tag \\
  -H 'content-type: application/json' \\
  -d '{"eventName": "Purchase", "eventId": "order-1001", "timestamp": '"$(date +%s000)"',
       "userEmail": "jane@example.com",
       "data": {"value": 30, "currency": "EUR", "orderId": "1001"},
       "storage": {"service": {"consent": {"all": true}}}}'`,
  typescript: (tagUrl: string) => `await fetch('${tagUrl}/tag', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    eventName: 'Purchase',
    eventId: 'order-1001',
    timestamp: Date.now(),
    userEmail: 'jane@example.com',
    data: { value: 30, currency: 'EUR', orderId: '1001' },
    storage: { service: { consent: { all: true } } },
  }),
})`,
} as const
export type SnippetKind = keyof typeof snippets

/** The calls that a consent banner makes after the visitor's answer. */
export const consentSnippets: Partial<Record<SnippetKind, string>> = {
  page: `aglet('consent', { all: true })
// refused:      aglet('consent', { all: false })
// by category:  aglet('consent', { all: true }, { advertising: false })`,
  module: `import { consent } from 'aglet/browser'

consent({ all: true })
// refused:      consent({ all: false })
// by category:  consent({ all: true }, { advertising: false })`,
}

/** Whether the SDK of a tag stores and sends nothing until the page calls `consent`. */
export const waitsForConsent = ({ consent, captureBeforeConsent }: Pick<Tag, 'consent' | 'captureBeforeConsent'>) =>
  consent === 'enabled' && captureBeforeConsent !== 'all'

/** The Content-Security-Policy directives that the site needs. */
export function policyLines(tagUrl: string): string {
  const { origin } = new URL(tagUrl)
  return `script-src ${origin}; connect-src ${origin}`
}
