import { eventMappingCheck, parseEventMapping } from '#provider/form/eventMapping.ts'
import type { RequestContext } from '#provider/form/request.ts'
import { plain } from '#provider/form/userRule.ts'
import { optional, text } from '#provider/form/variables.ts'
import { type FlatValue, isFlat } from './eventFields.ts'

/** The standard keys of a person that can be mapped, as fields of `user`. */
export const traitFields = {
  firstName: plain('firstName'),
  lastName: plain('lastName'),
  gender: plain('gender'),
  dateOfBirth: plain('dateOfBirth'),
  city: plain('city'),
  state: plain('state'),
  zip: plain('zip'),
  country: plain('country'),
}

const maxText = 500

/**
 * The person's known values under the vendor's names in `mapping`: the declared fields of `user`, and custom keys that
 * are texts, numbers or booleans. Other keys are not sent. Undefined if nothing is known.
 */
export function mappedTraits(
  { user, custom }: Pick<RequestContext, 'user' | 'custom'>,
  mapping: string | undefined,
): Record<string, FlatValue> | undefined {
  const pairs = [...((mapping && parseEventMapping(mapping)) || [])]
  const traits = pairs.flatMap(([key, name]): [string, FlatValue][] => {
    const value = Object.hasOwn(user, key) ? user[key] : Object.hasOwn(custom, key) ? custom[key] : undefined
    const isSendable = isFlat(value) && value !== '' && String(value).length <= maxText
    return isSendable ? [[name, value]] : []
  })
  return traits.length > 0 ? Object.fromEntries(traits) : undefined
}

type TraitMappingOptions = { keys?: 'custom'; check?: (mapping: string) => string | undefined }

/**
 * The variable that maps keys of a person to fields of the vendor. `where`: what the vendor's names are. `keys:
 * 'custom'`: the provider sends the standard keys itself.
 */
export const traitMapping = (
  where: string,
  example: readonly [string, string],
  { keys, check = eventMappingCheck }: TraitMappingOptions = {},
) =>
  text(
    'Keys of the person',
    `Pairs of a key of the person and ${where}. Keys: those that /user and /data set${keys ? '' : `, and ${Object.keys(traitFields).join(', ')}`}. Other keys are not sent.`,
    { ...optional, placeholder: JSON.stringify([example]), check },
  )
