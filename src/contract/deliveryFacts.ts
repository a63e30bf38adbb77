import { Place } from './eventPlace.ts'
import { FalseRule } from './rule/ruleFields.ts'
import { OptionalText, type Static, Type } from './schema.ts'
import { consentCategories } from './script.ts'

/** The facts behind a delivery's reason, under the name of the reason. */
export const DeliveryFacts = Type.Object({
  consent: Type.Optional(
    Type.Object({
      category: Type.Enum([...consentCategories], { description: 'the category that the channel needs' }),
      refusedBy: Type.Enum(['none', 'unanswered', 'category', 'provider', 'gpc', 'tcf', 'gpp', 'others'], {
        description:
          'none: there was no consent · unanswered: the visitor has not answered the banner yet · category, provider: the entry of the consent that refuses · gpc: Global Privacy Control of the browser · tcf, gpp: the TC or GPP string, see `bit` · others: another user with the same e-mail',
      }),
      bit: OptionalText('what refuses in the TC string: `purpose 4`, `vendor 755 not disclosed`, `unreadable`'),
      map: Type.Optional(
        Type.Record(Type.String(), Type.Unknown(), { description: 'the applied maps, as in `consent.decided`' }),
      ),
    }),
  ),
  region: Type.Optional(Type.Object({ regions: Type.String(), place: Place })),
  identityMissing: Type.Optional(
    Type.Object({
      needs: Type.Array(Type.Array(Type.String()), {
        description: 'what can identify the visitor to the vendor; all names of an inner list are required together',
      }),
    }),
  ),
  filtered: Type.Optional(
    Type.Object({
      plugin: OptionalText('the plugin that filtered the event'),
      setting: Type.Optional(
        Type.Literal('origin', { description: 'the code of this channel sent the event, so it does not get it back' }),
      ),
      rule: Type.Optional(FalseRule),
    }),
  ),
  payloadRefused: Type.Optional(
    Type.Object({
      rule: Type.Integer({
        minimum: 1,
        description: 'the number of the map rule after which the event exceeds a limit',
      }),
    }),
  ),
  notSelected: Type.Optional(
    Type.Object({ providers: Type.Unknown({ description: 'the field `providers` of the event' }) }),
  ),
  eventNotSupported: Type.Optional(
    Type.Object({
      takes: Type.Array(Type.String(), { description: 'the event names that the channel takes' }),
      takesCustom: Type.Boolean({ description: 'whether it also takes names that are not standard' }),
    }),
  ),
  tooOld: Type.Optional(
    Type.Object({
      maxAgeMs: Type.Integer({ description: 'older events are not sent' }),
      ageMs: Type.Integer({ description: 'the age of the event when it was decided' }),
    }),
  ),
})
export type DeliveryFacts = Static<typeof DeliveryFacts>
