import type { SourceName } from '#contract/sourceNames.ts'
import { segment } from './segment.ts'
import type { Source } from './source.ts'

const sources: readonly Source[] = [segment]

/** The source whose protocol has this address, among those that are switched on for a tag. */
export const sourceAt = (path: string, names: readonly SourceName[]): Source | undefined =>
  sources.find((source) => names.includes(source.name) && source.methodsOf(path))
