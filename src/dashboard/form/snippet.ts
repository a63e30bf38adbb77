/** The texts that put a tag into a site, as docs/sdk.md shows them. */
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
       "data": {"value": 30, "currency": "EUR", "orderId": "1001"}}'`,
  typescript: (tagUrl: string) => `await fetch('${tagUrl}/tag', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    eventName: 'Purchase',
    eventId: 'order-1001',
    timestamp: Date.now(),
    userEmail: 'jane@example.com',
    data: { value: 30, currency: 'EUR', orderId: '1001' },
  }),
})`,
} as const
export type SnippetKind = keyof typeof snippets

/** What a Content-Security-Policy of the site needs. */
export function policyLines(tagUrl: string): string {
  const { origin } = new URL(tagUrl)
  return `script-src ${origin}; connect-src ${origin}`
}
