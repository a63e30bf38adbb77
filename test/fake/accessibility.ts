import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** The rules of WCAG 2.2 AA that the page violates, each with its elements. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
  return page.evaluate<string[]>(
    `axe.run({ runOnly: ${JSON.stringify(tags)}, resultTypes: ['violations'] }).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ' ' + target + ': ' + failureSummary)))`,
  )
}
