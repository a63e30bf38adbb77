import { tcfDefaults } from '#contract/tcfDefaults.ts'
import type { TcfSettings } from '#contract/tcfSettings.ts'

/** The lists of purposes in the form. */
export type TcfList = 'advertising' | 'analytics' | 'functional' | 'interest'

/** How a tag reads TC strings, as edited in its form: every choice in full, including defaults. */
type TcfChoice = Record<TcfList, readonly number[]> & {
  requireVendor: boolean
  /** Days, as typed. */
  maxAgeDays: string
}

/** The purposes of TCF 2.3, and those for which legitimate interest may suffice. */
export const tcfPurposeIds: readonly number[] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
export const tcfInterestIds: readonly number[] = [2, 7, 8, 9, 10, 11]
export const tcfCategories = ['advertising', 'analytics', 'functional'] as const

export function tcfChoiceOf({ purposes, ...settings }: TcfSettings = {}): TcfChoice {
  const { advertising, analytics, functional } = { ...tcfDefaults.purposes, ...purposes }
  const { allowLegitimateInterest: interest, requireVendor, maxAgeDays } = { ...tcfDefaults, ...settings }
  return { advertising, analytics, functional, interest, requireVendor, maxAgeDays: `${maxAgeDays}` }
}

const idsText = (ids: readonly number[]) => ids.toSorted((one, other) => one - other).join(', ')

/** A choice as one text with a line for each setting, which also serves to show differences. */
export const tcfText = ({ requireVendor, maxAgeDays, ...lists }: TcfChoice): string =>
  [
    ...([...tcfCategories, 'interest'] as const).map((name) => `${name}: ${idsText(lists[name])}`),
    `vendor: ${requireVendor ? 'required' : 'not required'}`,
    `days: ${maxAgeDays.trim()}`,
  ].join('\n')

/** Parses the text of `tcfText`. */
export function tcfChoiceIn(text: string): TcfChoice {
  const values = new Map(text.split('\n').map((line) => line.split(': ', 2) as [string, string]))
  const ids = (name: string) => (values.get(name) ?? '').split(', ').filter(Boolean).map(Number)
  return {
    advertising: ids('advertising'),
    analytics: ids('analytics'),
    functional: ids('functional'),
    interest: ids('interest'),
    requireVendor: values.get('vendor') === 'required',
    maxAgeDays: values.get('days') ?? '',
  }
}

/** The text with a purpose added to or removed from one of its lists. */
export function switchPurpose(text: string, { list, id, isOn }: { list: TcfList; id: number; isOn: boolean }): string {
  const choice = tcfChoiceIn(text)
  const others = choice[list].filter((each) => each !== id)
  return tcfText({ ...choice, [list]: isOn ? [...others, id] : others })
}

const isSame = (one: readonly number[], other: readonly number[]) => idsText(one) === idsText(other)

/** The body of a save: the settings that differ from the defaults. The server refuses days that are not a number. */
export function tcfSettingsOf(text: string): TcfSettings {
  const { interest, requireVendor, maxAgeDays, ...choice } = tcfChoiceIn(text)
  const purposes = Object.fromEntries(
    tcfCategories
      .filter((name) => !isSame(choice[name], tcfDefaults.purposes[name]))
      .map((name) => [name, [...choice[name]]]),
  )
  const days = maxAgeDays === '' ? tcfDefaults.maxAgeDays : Number(maxAgeDays)
  return {
    ...(Object.keys(purposes).length > 0 && { purposes }),
    ...(!isSame(interest, tcfDefaults.allowLegitimateInterest) && { allowLegitimateInterest: [...interest] }),
    ...(!requireVendor && { requireVendor }),
    ...(days !== tcfDefaults.maxAgeDays && { maxAgeDays: days }),
  }
}
