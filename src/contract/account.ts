import { type Operation, pageQuery } from './operation.ts'
import { durationForm, EpochMs, Name, Nullable, OptionalFlag, OptionalText, type Static, Type } from './schema.ts'
import { everyScope, scopes } from './scopes.ts'

/** The roles in a team: an owner also manages access, an editor changes tags and scripts, a viewer reads. */
export const roles = ['owner', 'editor', 'viewer'] as const
export type Role = (typeof roles)[number]

const Role = Type.Enum([...roles])
const Scope = Type.Enum([...scopes])
const Scopes = Type.Array(Scope, { minItems: 1, maxItems: scopes.length })
const RedirectUri = Type.String({
  maxLength: 2000,
  description: 'https, or http on a loopback address; no fragment',
  documented: { format: 'uri', pattern: '^https://[a-z0-9.-]+/[^#\\s]*$' },
})

/** The body that registers an OAuth application. */
export const ApplicationWrite = Type.Object({
  name: Name,
  scopes: Scopes,
  redirectUris: Nullable(
    Type.Array(RedirectUri, { maxItems: 20, description: 'redirect addresses for the sign-in of people' }),
  ),
  isPublic: Nullable(
    Type.Boolean({ description: 'true for an application that cannot keep a secret, such as a mobile app or a page' }),
  ),
})
export type ApplicationWrite = Static<typeof ApplicationWrite>

const IssuedToken = Type.Object({
  tokenId: Type.String(),
  scopes: Type.Array(Type.Enum([...everyScope])),
  createdAt: EpochMs({ description: 'when it was created, epoch ms' }),
  expiresAt: EpochMs({ description: 'when it expires, epoch ms' }),
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
  tokens: Type.Array(IssuedToken, { description: 'its valid tokens, without those of OAuth flows' }),
})
export type Application = Static<typeof Application>

export const CreatedApplication = Type.Object({
  ...Application.properties,
  clientSecret: OptionalText('shown only once'),
})
export type CreatedApplication = Static<typeof CreatedApplication>
const ApplicationList = Type.Object({
  applications: Type.Array(Application),
  next: Type.Optional(Type.String()),
})

const TokenWrite = Type.Object({
  scopes: Scopes,
  expires: Nullable(Type.String({ maxLength: 20, description: '30m, 12h, 90d (90d)', documented: durationForm })),
})
const CreatedToken = Type.Object({
  token: Type.String({ description: 'shown only once' }),
  tokenId: Type.String(),
  scopes: Type.Array(Type.Enum([...everyScope])),
  expiresAt: EpochMs({ description: 'when it expires, epoch ms' }),
})
const ClientSecretWrite = Type.Object({
  keepBefore: Nullable(
    Type.String({
      maxLength: 20,
      description: 'how long the previous secret stays valid: 0m, 30m, 12h, 7d; at most 30d (24h)',
    }),
  ),
})
const RotatedClientSecret = Type.Object({
  applicationId: Type.String(),
  clientSecret: Type.String({ description: 'shown only once' }),
  beforeEndsAt: EpochMs({ description: 'when the previous secret expires, epoch ms' }),
})

export const Member = Type.Object({
  personId: Type.String(),
  name: Type.String(),
  email: Type.Optional(Type.String()),
  role: Role,
  createdAt: Type.String({ format: 'date' }),
})
export type Member = Static<typeof Member>

export const Invitation = Type.Object({
  invitationId: Type.String(),
  role: Role,
  createdAt: Type.String({ format: 'date' }),
  expiresAt: EpochMs({ description: 'when its link expires, epoch ms' }),
})
export type Invitation = Static<typeof Invitation>
const InvitationWrite = Type.Object({
  role: Role,
  email: Nullable(
    Type.String({
      minLength: 1,
      maxLength: 254,
      description: 'the link is also mailed there, if the operator has set an SMTP server',
      documented: { format: 'email' },
    }),
  ),
  expires: Nullable(
    Type.String({
      maxLength: 20,
      description: '30m, 12h, 7d; at most 30d (7d)',
      documented: { pattern: '^([1-9]|[12][0-9]|30)d$' },
    }),
  ),
})
const CreatedInvitation = Type.Object({
  ...Invitation.properties,
  url: Type.String({ description: 'the link for the invited person; it works once and is shown only once' }),
  isMailed: OptionalFlag('whether a mail with the link is on its way; absent without `email`'),
})
const InvitationList = Type.Object({
  invitations: Type.Array(Invitation),
  next: Type.Optional(Type.String()),
})

/** Access for operations on the applications, tokens and members of the team. */
const ownerAccess = { access: ['application:write'] } as const

export const accountOperations = {
  createApplication: {
    ...ownerAccess,
    method: 'POST',
    path: '/application',
    summary: 'Registers an OAuth application of the team; the operator must approve it',
    body: ApplicationWrite,
    response: CreatedApplication,
    faults: ['nameTaken', 'tooManyApplications'],
  },
  listApplications: {
    ...ownerAccess,
    method: 'GET',
    path: '/application',
    summary: 'Lists the applications of the team with their valid tokens',
    query: pageQuery,
    response: ApplicationList,
  },
  approveApplication: {
    method: 'POST',
    path: '/application/{applicationId}/approve',
    summary: 'Approves an application of any team, so that it can get tokens; for the operator',
    access: ['application:approve'],
    response: Application,
    faults: ['applicationUnknown'],
  },
  rotateClientSecret: {
    ...ownerAccess,
    method: 'POST',
    path: '/application/{applicationId}/secret',
    summary: 'Creates a new client secret of an application; the previous one stays valid for the given time',
    body: ClientSecretWrite,
    response: RotatedClientSecret,
    faults: ['applicationUnknown', 'applicationIsPublic'],
  },
  deleteApplication: {
    ...ownerAccess,
    method: 'DELETE',
    path: '/application/{applicationId}',
    summary: 'Deletes an application; its tokens and the grants of people end within five seconds',
    response: Type.Object({ applicationId: Type.String() }),
    faults: ['applicationUnknown'],
  },
  createApplicationToken: {
    ...ownerAccess,
    method: 'POST',
    path: '/application/{applicationId}/token',
    summary:
      'Issues an access token of an approved application; two can be valid at once, so that one can replace the other',
    body: TokenWrite,
    response: CreatedToken,
    faults: ['applicationUnknown', 'applicationNotApproved', 'tooManyTokens', 'tokenRateExceeded'],
  },
  deleteToken: {
    ...ownerAccess,
    method: 'DELETE',
    path: '/token/{tokenId}',
    summary: 'Revokes an access token of the team within five seconds',
    response: Type.Object({ tokenId: Type.String() }),
    faults: ['tokenUnknown'],
  },
  listMembers: {
    access: ['member:read'],
    formerAccess: ['application:write'],
    method: 'GET',
    path: '/member',
    summary: 'Lists the people of the team',
    response: Type.Object({ members: Type.Array(Member), next: Type.Optional(Type.String()) }),
  },
  updateMember: {
    ...ownerAccess,
    method: 'PUT',
    path: '/member/{personId}',
    summary: 'Changes the role of a person; the grants of the person to applications end',
    body: Type.Object({ role: Role }),
    response: Member,
    faults: ['memberUnknown', 'lastOwner'],
  },
  deleteMember: {
    ...ownerAccess,
    method: 'DELETE',
    path: '/member/{personId}',
    summary: 'Removes a person from the team; the grants of the person to applications end',
    response: Type.Object({ personId: Type.String() }),
    faults: ['memberUnknown', 'lastOwner'],
  },
  createInvitation: {
    ...ownerAccess,
    method: 'POST',
    path: '/invitation',
    summary: 'Creates a link by which one person joins the team',
    body: InvitationWrite,
    response: CreatedInvitation,
  },
  listInvitations: {
    ...ownerAccess,
    method: 'GET',
    path: '/invitation',
    summary: 'Lists the pending invitations',
    response: InvitationList,
  },
  deleteInvitation: {
    ...ownerAccess,
    method: 'DELETE',
    path: '/invitation/{invitationId}',
    summary: 'Revokes an invitation',
    response: Type.Object({ invitationId: Type.String() }),
    faults: ['invitationUnknown'],
  },
} as const satisfies Record<string, Operation>
