import type { InitResponse } from '#contract/edgeResponses.ts'
import type { BrowserPage } from './browserPage.ts'
import { backoffMs, isTemporaryFailure } from './uploader.ts'

/** Retries until the tag answers. Rejects if the tag refuses this page. */
export async function fetchInit(
  page: Pick<BrowserPage, 'request' | 'pause' | 'random'>,
  url: string,
): Promise<InitResponse> {
  for (let failures = 0; ; failures++) {
    const reply = await page.request(url).catch(() => undefined)
    if (reply?.status === 200) return reply.json as InitResponse
    if (reply && !isTemporaryFailure(reply)) throw Error(`the tag answered ${reply.status} to ${url}`)
    await page.pause(backoffMs(failures, page.random()))
  }
}
