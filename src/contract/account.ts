import { type Operation, page } from './operation.ts'
import { Name, Nullable, type Static, Type } from './schema.ts'
import { everyScope, scopes } from './scopes.ts'

/** What a person is in a team: an owner decides who may act for it, an editor works in it, a viewer looks on. */
export const roles = ['owner', 'editor', 'viewer'] as const
export type Role = (typeof roles)[number]

const Role = Type.Enum([...roles])
const Scope = Type.Enum([...scopes])
const Scopes = Type.Array(Scope, { minItems: 1, maxItems: scopes.length })
const At = (description: string) => Type.Integer({ description: `${description}, epoch ms` })
const RedirectUri = Type.String({ maxLength: 2000, description: 'https, or http on a loopback address; no fragment' })

/** An OAuth application as its team makes it. */
export const ApplicationWrite = Type.Object({
  name: Name,
  scopes: Scopes,
  redirectUris: Nullable(Type.Array(RedirectUri, { maxItems: 20, description: 'for sign-in of people' })),
  isPublic: Nullable(Type.Boolean({ description: 'it cannot keep a secret: an app on a phone, a page' })),
})
export type ApplicationWrite = Static<typeof ApplicationWrite>

const IssuedToken = Type.Object({
  tokenId: Type.String(),
  scopes: Type.Array(Type.Enum([...everyScope])),
  createdAt: At('when it was made'),
  expiresAt: At('when it ends'),
})

/** An OAuth application; its id is its `client_id`. */
export const Application = Type.Object({
  applicationId: Type.String(),
  name: Type.String(),
  scopes: Type.Array(Type.Enum([...everyScope])),
  redirectUris: Type.Array(Type.String()),
  isPublic: Type.Boolean(),
  status: Type.Enum(['pending', 'approved']),
  createdAt: Type.String({ format: 'date' }),
  tokens: Type.Array(IssuedToken, { description: 'its good tokens but for those of OAuth flows' }),
})
export type Application = Static<typeof Application>

export const ApplicationMade = Type.Object({
  ...Application.properties,
  clientSecret: Type.Optional(Type.String({ description: 'shown this once' })),
})
export type ApplicationMade = Static<typeof ApplicationMade>
export const ApplicationList = Type.Object({
  applications: Type.Array(Application),
  next: Type.Optional(Type.String()),
})

export const TokenWrite = Type.Object({
  scopes: Scopes,
  expires: Nullable(Type.String({ maxLength: 20, description: '30m, 12h, 90d (90d)' })),
})
export const TokenMade = Type.Object({
  token: Type.String({ description: 'shown this once' }),
  tokenId: Type.String(),
  scopes: Type.Array(Type.Enum([...everyScope])),
  expiresAt: At('when it ends'),
})
export const ClientSecretWrite = Type.Object({
  keepBefore: Nullable(
    Type.String({
      maxLength: 20,
      description: 'for how long the secret before stays good: 0m, 30m, 12h, 7d; at most 30d (24h)',
    }),
  ),
})
export const ClientSecretMade = Type.Object({
  applicationId: Type.String(),
  clientSecret: Type.String({ description: 'shown this once' }),
  beforeEndsAt: At('until when the secret before is good'),
})
const ApplicationEnded = Type.Object({ applicationId: Type.String() })
const TokenEnded = Type.Object({ tokenId: Type.String() })

export const Member = Type.Object({
  personId: Type.String(),
  name: Type.String(),
  email: Type.Optional(Type.String()),
  role: Role,
  createdAt: Type.String({ format: 'date' }),
})
export type Member = Static<typeof Member>
export const MemberList = Type.Object({ members: Type.Array(Member), next: Type.Optional(Type.String()) })
export const MemberWrite = Type.Object({ role: Role })

export const Invitation = Type.Object({
  invitationId: Type.String(),
  role: Role,
  createdAt: Type.String({ format: 'date' }),
  expiresAt: At('when its link ends'),
})
export type Invitation = Static<typeof Invitation>
export const InvitationWrite = Type.Object({
  role: Role,
  expires: Nullable(Type.String({ maxLength: 20, description: '30m, 12h, 7d; at most 30d (7d)' })),
})
export const InvitationMade = Type.Object({
  ...Invitation.properties,
  url: Type.String({ description: 'the link to hand over; it works once and is shown this once' }),
})
export const InvitationList = Type.Object({
  invitations: Type.Array(Invitation),
  next: Type.Optional(Type.String()),
})
const InvitationEnded = Type.Object({ invitationId: Type.String() })
const MemberEnded = Type.Object({ personId: Type.String() })

const applicationId = Type.Object({ applicationId: Type.String() })
const personId = Type.Object({ personId: Type.String() })
/** Who may act for the team: applications, tokens and people. */
const own = { access: ['application:write'], teamHeader: true } as const

export const accountRows = {
  createApplication: {
    ...own,
    method: 'POST',
    path: '/application',
    summary: 'Registers an OAuth application of the team; the operator has to approve it',
    body: ApplicationWrite,
    gives: ApplicationMade,
    faults: ['nameTaken', 'tooManyApplications'],
  },
  listApplications: {
    ...own,
    method: 'GET',
    path: '/application',
    summary: 'The applications of the team, with their good tokens',
    query: page,
    gives: ApplicationList,
    faults: [],
  },
  approveApplication: {
    method: 'POST',
    path: '/application/{applicationId}/approve',
    summary: 'Lets an application of any team ask for tokens; for the operator',
    access: ['application:approve'],
    teamHeader: true,
    params: applicationId,
    gives: Application,
    faults: ['applicationUnknown'],
  },
  rotateClientSecret: {
    ...own,
    method: 'POST',
    path: '/application/{applicationId}/secret',
    summary: 'Gives an application another client secret; the one before stays good for a while, or ends at once',
    params: applicationId,
    body: ClientSecretWrite,
    gives: ClientSecretMade,
    faults: ['applicationUnknown', 'applicationIsPublic'],
  },
  deleteApplication: {
    ...own,
    method: 'DELETE',
    path: '/application/{applicationId}',
    summary: 'Deletes an application; its tokens, and what people granted it, end within five seconds',
    params: applicationId,
    gives: ApplicationEnded,
    faults: ['applicationUnknown'],
  },
  createApplicationToken: {
    ...own,
    method: 'POST',
    path: '/application/{applicationId}/token',
    summary:
      'Issues an access token of an approved application; two can be good at once, so that one replaces the other',
    params: applicationId,
    body: TokenWrite,
    gives: TokenMade,
    faults: ['applicationUnknown', 'applicationNotApproved', 'tooManyTokens', 'tokenRateExceeded'],
  },
  deleteToken: {
    ...own,
    method: 'DELETE',
    path: '/token/{tokenId}',
    summary: 'Ends an access token of the team within five seconds',
    params: Type.Object({ tokenId: Type.String() }),
    gives: TokenEnded,
    faults: ['tokenUnknown'],
  },
  listMembers: {
    ...own,
    method: 'GET',
    path: '/member',
    summary: 'The people of the team',
    gives: MemberList,
    faults: [],
  },
  updateMember: {
    ...own,
    method: 'PUT',
    path: '/member/{personId}',
    summary: 'Gives a person another role; what it had granted to applications ends',
    params: personId,
    body: MemberWrite,
    gives: Member,
    faults: ['memberUnknown', 'lastOwner'],
  },
  deleteMember: {
    ...own,
    method: 'DELETE',
    path: '/member/{personId}',
    summary: 'Takes a person out of the team; what it had granted to applications ends',
    params: personId,
    gives: MemberEnded,
    faults: ['memberUnknown', 'lastOwner'],
  },
  createInvitation: {
    ...own,
    method: 'POST',
    path: '/invitation',
    summary: 'Makes a link by which one person joins the team',
    body: InvitationWrite,
    gives: InvitationMade,
    faults: [],
  },
  listInvitations: {
    ...own,
    method: 'GET',
    path: '/invitation',
    summary: 'The invitations that nobody has accepted yet',
    gives: InvitationList,
    faults: [],
  },
  deleteInvitation: {
    ...own,
    method: 'DELETE',
    path: '/invitation/{invitationId}',
    summary: 'Takes an invitation back',
    params: Type.Object({ invitationId: Type.String() }),
    gives: InvitationEnded,
    faults: ['invitationUnknown'],
  },
} as const satisfies Record<string, Operation>
