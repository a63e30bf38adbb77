import type { ValueChange } from '#contract/revision.ts'
import type { Script } from '#contract/script.ts'

type Differing = { notLive?: readonly ValueChange[] | undefined }

/** Whether a channel has a live version. One that was never deployed has no live name. */
export const hasLiveVersion = ({ notLive = [] }: Differing): boolean =>
  !notLive.some(({ name, before }) => name === 'name' && before === undefined)

/** The saved value of a setting that is not live, and the live one; undefined where both are equal. */
export const notLiveOf = ({ notLive = [] }: Differing, name: string): ValueChange | undefined =>
  notLive.find((change) => change.name === name)

/** How many things differ from what is live: each setting of the tag, and each channel once. */
export const countNotLive = (of: { settings: readonly unknown[]; scripts: readonly unknown[] }): number =>
  of.settings.length + of.scripts.length

/** The settings of a script that a person changed in a form, by their names. */
export const changedOf = <Settings extends Partial<Record<keyof Script, unknown>>>(
  settings: Settings,
  script: Pick<Script, keyof Settings & keyof Script>,
): Partial<Settings> =>
  Object.fromEntries(
    Object.entries(settings).filter(([name, value]) => (value ?? '') !== (script[name as keyof typeof script] ?? '')),
  ) as Partial<Settings>
