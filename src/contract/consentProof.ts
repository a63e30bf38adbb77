import { EpochMs, type Static, Type } from './schema.ts'

const sha256 = (description: string) => Type.Optional(Type.String({ description }))
const Text = (description: string) => Type.Optional(Type.String({ description }))

/** The proof of an answer: its time, its source, its banner, and the banner's strings. */
export const ConsentProof = Type.Object({
  at: EpochMs({ description: 'when the visitor answered, epoch ms' }),
  source: Type.Enum(['device', 'trusted', 'claim'], {
    description:
      '`device`: the browser or app of the visitor · `trusted`: a call with an access token · `claim`: a call without one that also names a person: it proves the answer of the device, not that it is this person',
  }),
  eventId: Text('the event or call that brought the answer, with all of its strings while it is kept'),
  banner: Text('the name of the banner, its first 40 bytes'),
  version: Text('the version of the banner'),
  textVersion: Text('the version of the text that the visitor was shown'),
  tcf: Text('the TC string'),
  tcfSha256: sha256('in place of a TC string that is not kept whole: its SHA-256, hex'),
  addtlConsent: Text('the additional consent of Google'),
  addtlConsentSha256: sha256('the SHA-256 of one that is not kept whole'),
  gdprApplies: Type.Optional(Type.Boolean()),
  gpp: Text('the GPP string'),
  gppSha256: sha256('the SHA-256 of a GPP string that is not kept whole'),
  gppSections: Type.Optional(Type.Array(Type.Integer())),
})
export type ConsentProof = Static<typeof ConsentProof>
