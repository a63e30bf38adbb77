import type { IncomingMessage } from 'node:http'
import Negotiator from 'negotiator'
import type { Fault } from '#contract/fault.ts'
import { html, renderPage } from './html.ts'

/** Browsers send 200 characters. Longer headers are not parsed, because parsing takes 1 ms per 1,000 characters. */
const maxAcceptLength = 1_000

/** Whether the caller prefers a page to JSON, as a browser that opens an address does. Without a preference it gets JSON. */
export const prefersPage = ({ raw }: { raw: IncomingMessage }): boolean =>
  (raw.headers.accept ?? '').length <= maxAcceptLength &&
  new Negotiator(raw).mediaType(['application/json', 'text/html']) === 'text/html'

/** Titles, and sentences for people if the fault's message is meant for programs. */
const words: Partial<Record<number, { title: string; says?: string }>> = {
  401: { title: 'Sign in first' },
  403: { title: 'Not allowed' },
  404: {
    title: 'Page not found',
    says: 'The URL is wrong, the page was removed, or it belongs to a team that you are not a member of.',
  },
  405: {
    title: 'This URL only accepts a form',
    says: 'Go back to the page with the form and submit it there.',
  },
  429: { title: 'Too many requests' },
}

const environmentOf = (url: string) => (url.startsWith('/sandbox/') ? 'sandbox' : 'production')

/** The page of a fault. It omits the URL, which may contain a secret. */
export function errorPage({ status, message }: Pick<Fault, 'status' | 'message'>, url: string): string {
  const environment = environmentOf(url)
  const dashboard = `${environment === 'sandbox' ? '/sandbox' : ''}/dashboard`
  const body = html`<p>${words[status]?.says ?? message}</p>
<p><a href="${dashboard}">Dashboard</a> · <a href="/">Start page</a> · <a href="/docs">API reference</a></p>`
  return renderPage({ title: words[status]?.title ?? 'That did not work', environment, body })
}
