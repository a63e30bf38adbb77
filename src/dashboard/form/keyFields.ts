import type { Script } from '#contract/script.ts'
import type { FieldRow, ProviderRow } from './channelForm.ts'

/**
 * The fields of a key replacement: the named variable, or for `key` every sensitive variable that is set. If no
 * sensitive variable is set, all variables that are set.
 */
export function keyFields(
  { secrets = [] }: ProviderRow,
  script: Pick<Script, 'secrets'>,
  field: string,
): readonly FieldRow[] {
  const named = secrets.filter(({ variable }) => variable === field)
  if (named.length > 0) return named
  const set = secrets.filter(({ variable }) => script.secrets?.[variable]?.isSet)
  const sensitive = set.filter((row) => row.sensitive)
  return sensitive.length > 0 ? sensitive : set
}
