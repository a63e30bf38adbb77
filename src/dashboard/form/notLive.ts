import type { ValueChange } from '#contract/revision.ts'

type Differing = { notLive?: readonly ValueChange[] | undefined }

/** Whether a channel has a live version. A channel that was never deployed has no live name. */
export const hasLiveVersion = ({ notLive = [] }: Differing): boolean =>
  !notLive.some(({ name, before }) => name === 'name' && before === undefined)

/** The saved value of a setting that is not live, and the live one; undefined if they are equal. */
export const notLiveOf = ({ notLive = [] }: Differing, name: string): ValueChange | undefined =>
  notLive.find((change) => change.name === name)

/** The number of differences from the live version: each setting of the tag, and each channel once. */
export const countNotLive = (of: { settings: readonly unknown[]; scripts: readonly unknown[] }): number =>
  of.settings.length + of.scripts.length
