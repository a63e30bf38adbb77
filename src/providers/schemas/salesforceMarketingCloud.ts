import type { RequestContext, RequestSpec, Skip } from '#provider/form/request.ts'
import { optional, text } from '#provider/form/variables.ts'
import { mappedTraits, traitMapping } from '#provider/vendors/personTraits.ts'

/** The variables for updates of what is known of a person. */
export const profileVariables = {
  SFMC_PROFILE_DATA_EXTENSION: text(
    'Data extension of profiles',
    'The external key of the data extension that holds what is known of people: Contact Builder, Data Extensions. Without it updates are not sent.',
    {
      ...optional,
      check: (key: string) => (/^[^\s/]{1,200}$/.test(key) ? undefined : 'Write the external key alone.'),
    },
  ),
  SFMC_PROFILE_KEY_COLUMN: text(
    'Key column of profiles',
    'The primary key of that data extension. It gets the user id, else the e-mail.',
    { ...optional, default: 'SubscriberKey' },
  ),
  SFMC_TRAITS: traitMapping('a column of that data extension', ['tier', 'Tier']),
}

type ProfileSecrets = { SFMC_PROFILE_DATA_EXTENSION?: string; SFMC_PROFILE_KEY_COLUMN: string; SFMC_TRAITS?: string }
type Call = { rest: string; headers: Readonly<Record<string, string>>; ContactKey: string | undefined }

/**
 * The row of a person:
 * https://developer.salesforce.com/docs/marketing/marketing-cloud/references/mc_rest_data_extensions/postDataExtensionRowsetByKey.html
 */
export function rowUpsert(
  context: RequestContext,
  { SFMC_PROFILE_DATA_EXTENSION: extension, SFMC_PROFILE_KEY_COLUMN: column, SFMC_TRAITS: mapping }: ProfileSecrets,
  { rest, headers, ContactKey }: Call,
): RequestSpec | Skip {
  const values = mappedTraits(context, mapping)
  if (!extension || !values) return { skipped: 'filtered' }
  const url = `${rest}/hub/v1/dataevents/key:${encodeURIComponent(extension)}/rowset`
  return { url, headers, json: [{ keys: { [column]: ContactKey }, values }] }
}
