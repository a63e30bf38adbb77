import { Journey } from './journey.ts'
import type { Operation } from './operation.ts'
import { EpochMs, Nullable, OptionalInteger, type Static, Type } from './schema.ts'

/** The query parameter in which the SDK finds the code of a link. */
export const previewParameter = 'aglet_preview'
/** The header of a call that belongs to a preview. Its value is the link's code. */
export const previewHeader = 'Aglet-Preview'
/** The maximum number of events per link. */
export const maxPreviewEvents = 500

const Deliver = Type.Enum(['none', 'testMode'], {
  description:
    '`none`: nothing is sent. `testMode`: channels whose vendor has a test mode send in it; of the others nothing is sent',
})

const PreviewLinkWrite = Type.Object({
  draft: Nullable(Type.Literal(true, { description: 'uses everything that is saved at that time, including drafts' })),
  deployment: Nullable(Type.Integer({ minimum: 1, description: 'uses this deployment instead of the draft' })),
  deliver: Deliver,
  expiresIn: Nullable(Type.Integer({ minimum: 60, maximum: 7_200, description: 'seconds; 3600' })),
})
type PreviewLinkWrite = Static<typeof PreviewLinkWrite>
export type PreviewDelivery = PreviewLinkWrite['deliver']

export const PreviewLink = Type.Object({
  previewId: Type.String(),
  url: Type.String({ description: 'opens the site with the preview' }),
  code: Type.String({ description: 'the value of aglet_preview in an address, and of the header Aglet-Preview' }),
  deliver: Deliver,
  deployment: OptionalInteger('absent for the draft'),
  expiresAt: EpochMs({ description: 'epoch ms' }),
})
export type PreviewLink = Static<typeof PreviewLink>

/** An event or a user update of a preview, with its outcome. */
export const PreviewEvent = Type.Object({
  number: Type.Integer({ description: 'its place among the events of the link, from 1' }),
  kind: Type.Enum(['event', 'user'], { description: '`user`: a call of /user or /data' }),
  isPlanned: Type.Boolean({ description: 'false until its deliveries are known' }),
  journey: Journey,
})
export type PreviewEvent = Static<typeof PreviewEvent>

/** The preview of a call, or the reason why there is none. */
export const PreviewState = Type.Object({
  previewId: Type.Optional(Type.String()),
  deliver: Type.Optional(Deliver),
  deployment: Type.Optional(Type.Integer()),
  expiresAt: Type.Optional(EpochMs()),
  left: OptionalInteger('how many more events the link accepts'),
  refused: Type.Optional(Type.Enum(['expired', 'usedUp', 'unknown'], { description: 'the call is an ordinary one' })),
})
export type PreviewState = Static<typeof PreviewState>

export const previewLinkOperations = {
  createPreviewLink: {
    method: 'POST',
    path: '/tag/{tagId}/preview-link',
    summary:
      'Makes a link that opens the site in a preview: events of this browser run through the draft or a deployment, and are neither stored nor counted',
    access: ['script:write', 'event:write'],
    body: PreviewLinkWrite,
    response: PreviewLink,
    faults: ['tagUnknown', 'deploymentUnknown'],
  },
  listPreviewEvents: {
    method: 'GET',
    path: '/tag/{tagId}/preview-link/{previewId}/event',
    summary: 'The events of a preview in their order, each with its deliveries; they are deleted when the link expires',
    access: ['event:read'],
    query: Type.Object({
      after: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 1_000, description: 'only events with higher numbers' }),
      ),
    }),
    response: Type.Object({ events: Type.Array(PreviewEvent, { description: 'up to 50' }) }),
    faults: ['tagUnknown'],
  },
} as const satisfies Record<string, Operation>
