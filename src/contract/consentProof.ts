import { EpochMs, OptionalText, type Static, Type } from './schema.ts'

/** The proof of an answer: its time, its source, its banner, and the banner's strings. */
export const ConsentProof = Type.Object({
  at: EpochMs({ description: 'when the visitor answered, epoch ms' }),
  source: Type.Enum(['device', 'trusted', 'claim'], {
    description:
      '`device`: the browser or app of the visitor · `trusted`: a call with an access token · `claim`: a call without one that also names a person: it proves the answer of the device, not that it is this person',
  }),
  eventId: OptionalText('the event or call that brought the answer, with all of its strings while it is kept'),
  banner: OptionalText('the name of the banner, its first 40 bytes'),
  version: OptionalText('the version of the banner'),
  textVersion: OptionalText('the version of the text that the visitor was shown'),
  tcf: OptionalText('the TC string'),
  tcfSha256: OptionalText('in place of a TC string that is not kept whole: its SHA-256, hex'),
  addtlConsent: OptionalText('the additional consent of Google'),
  addtlConsentSha256: OptionalText('the SHA-256 of one that is not kept whole'),
  gdprApplies: Type.Optional(Type.Boolean()),
  gpp: OptionalText('the GPP string'),
  gppSha256: OptionalText('the SHA-256 of a GPP string that is not kept whole'),
  gppSections: Type.Optional(Type.Array(Type.Integer())),
})
export type ConsentProof = Static<typeof ConsentProof>
