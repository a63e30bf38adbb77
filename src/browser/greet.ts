import type { Init } from '#contract/edge.ts'
import { isTemporary, pauseMs } from './courier.ts'
import type { Page } from './page.ts'

/** Asks until there is an answer. Rejects where the tag does not want this page. */
export async function greet(page: Pick<Page, 'ask' | 'pause' | 'random'>, url: string): Promise<Init> {
  for (let failures = 0; ; failures++) {
    const reply = await page.ask(url).catch(() => undefined)
    if (reply?.status === 200) return reply.json as Init
    if (reply && !isTemporary(reply)) throw new Error(`the tag answered ${reply.status} to ${url}`)
    await page.pause(pauseMs(failures, page.random()))
  }
}
