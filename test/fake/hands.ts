import type { Locator, Page } from 'playwright-core'

/** Ways to do the same actions: with the mouse, and only with the keyboard. */
export type Hands = {
  /** Opens a link or presses a button. */
  press(target: Locator): Promise<void>
  /** Replaces the text of a field. */
  type(field: Locator, text: string): Promise<void>
  /** Opens a page through the navigation. */
  visit(page: Page, name: string): Promise<void>
}

export const mouse: Hands = {
  press: (target) => target.first().click(),
  type: (field, text) => field.fill(text),
  visit: (page, name) => page.getByRole('navigation').getByRole('link', { name, exact: true }).click(),
}

/** Moves the focus by Tab to the control, like a person who cannot use a mouse. */
export async function tabTo(target: Locator): Promise<void> {
  const page = target.page()
  await target.first().waitFor()
  for (let presses = 0; presses < 250; presses++) {
    if ((await target.first().and(page.locator(':focus')).count()) > 0) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`${target} cannot be reached by Tab`)
}

export const keyboard: Hands = {
  async press(target) {
    await tabTo(target)
    await target.page().keyboard.press('Enter')
  },
  async type(field, text) {
    await tabTo(field)
    await field.page().keyboard.press('Control+a')
    await field.page().keyboard.type(text)
  },
  async visit(page, name) {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search or jump' }).waitFor()
    await page.keyboard.type(name)
    await page.getByRole('option', { name }).first().waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: name === 'Install' ? /^Put Aglet into/ : name }).waitFor()
  },
}
