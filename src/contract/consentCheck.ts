import { OptionalInteger, OptionalText, type Static, Type } from './schema.ts'
import { consentCategories } from './script.ts'

const allowing = ['agreed', 'default', 'limitedUse', 'necessary', 'disabled'] as const
const refusing = [
  ...(['none', 'unanswered', 'category', 'provider', 'gpc', 'tcf', 'gpp', 'others', 'later'] as const),
] as const

/** Why the consent of an event allowed or refused a channel. */
export const ConsentCheck = Type.Object({
  category: Type.Enum([...consentCategories], { description: 'the category that the channel needs' }),
  isAllowed: Type.Boolean({
    description: 'whether the consent allows the channel; other reasons may still stop the event',
  }),
  rule: Type.Enum([...allowing, ...refusing], {
    description:
      'allowed: `agreed`: the answer of the visitor · `default`: what the page grants where it shows no banner · `limitedUse`: the visitor objects to the sale of data alone, and the vendor is told to limit its use · `necessary`: the channel needs no consent · `disabled`: the tag asks for none. Refused: as `refusedBy`, and `later`: a later answer of the visitor, before the event was sent',
  }),
  bit: OptionalText('what refuses in a TC or GPP string'),
  purposes: Type.Optional(
    Type.Array(Type.Integer(), { description: 'the purposes of a TC string that the tag needs for the category' }),
  ),
  vendor: OptionalInteger('the vendor of the Global Vendor List whose bits the tag needs'),
})
export type ConsentCheck = Static<typeof ConsentCheck>

/** Why a consent string was not applied as given. */
export const textWarningCodes = [
  'TCF_UNREADABLE',
  'TCF_OUT_OF_TIME',
  'TCF_WITHOUT_DISCLOSED_VENDORS',
  'TCF_LIST_NEWER',
  'GPP_UNREADABLE',
] as const
export type TextWarning = (typeof textWarningCodes)[number]
