import { alertFaults } from './alertFaults.ts'
import { databaseFaults } from './databaseFaults.ts'
import type { ErrorObject, HookError } from './errorObject.ts'
import type { EventResult } from './event.ts'
import { issueSentence, type RequestIssue } from './issueSentence.ts'
import { limitFaults } from './limitFaults.ts'

/** Every named fault, with its HTTP status, its stable code and its default message. */
export const faults = {
  badRequest: {
    status: 400,
    code: 'BAD_REQUEST',
    message: 'The request is not valid for this operation.',
  },
  jsonBroken: { status: 400, code: 'JSON_BROKEN', message: 'The body is not valid JSON.' },
  httpBroken: { status: 400, code: 'HTTP_BROKEN', message: 'This is not a valid HTTP request.' },
  teamIdMissing: {
    status: 400,
    code: 'TEAM_ID_MISSING',
    message: 'Send the header Team-Id with the id of your team (team_…).',
  },
  secretRefused: {
    status: 400,
    code: 'SECRET_REFUSED',
    message:
      'A secret entry could not be decrypted. Seal it again with a current key from GET /jwks.json, for this environment, team, provider, variable and type.',
  },
  tokenMissing: {
    status: 401,
    code: 'TOKEN_MISSING',
    message: 'Send the header Authorization: Bearer <ACCESS_TOKEN>.',
  },
  tokenRefused: {
    status: 401,
    code: 'TOKEN_REFUSED',
    message: 'The access token is malformed, unknown, expired, revoked or from the other environment.',
  },
  sessionMissing: {
    status: 401,
    code: 'SESSION_MISSING',
    message: 'Send the header Authorization: Bearer <SESSION> with the session from POST /session.',
  },
  sessionRefused: {
    status: 401,
    code: 'SESSION_REFUSED',
    message: 'The session is malformed, unknown, expired, signed out or from the other environment.',
  },
  webhookTokenRefused: {
    status: 401,
    code: 'WEBHOOK_TOKEN_REFUSED',
    message: 'Send the webhook’s own token: Authorization: Bearer <WEBHOOK_TOKEN>.',
  },
  teamRefused: {
    status: 403,
    code: 'TEAM_REFUSED',
    message: 'The access token or the signed-in person does not belong to the team in Team-Id.',
  },
  scopeMissing: {
    status: 403,
    code: 'SCOPE_MISSING',
    message: 'The access token or the signed-in person’s role lacks a scope that this operation needs.',
  },
  operatorRequired: {
    status: 403,
    code: 'OPERATOR_REQUIRED',
    message: 'Only the signed-in operator of this server can do this.',
  },
  signInRefused: { status: 403, code: 'SIGN_IN_REFUSED', message: 'The e-mail or the password is wrong.' },
  passwordRefused: { status: 403, code: 'PASSWORD_REFUSED', message: 'The current password is wrong.' },
  providerNotAvailable: {
    status: 403,
    code: 'PROVIDER_NOT_AVAILABLE',
    message: 'This provider is not available to the team. GET /manifest lists the available providers.',
  },
  policyNotAccepted: {
    status: 403,
    code: 'POLICY_NOT_ACCEPTED',
    message: 'The team has not accepted the latest version of every required policy. See attributes.policies.',
  },
  applicationNotApproved: {
    status: 403,
    code: 'APPLICATION_NOT_APPROVED',
    message: 'The operator has not approved this application yet.',
  },
  formRefused: {
    status: 403,
    code: 'FORM_REFUSED',
    message: 'This form was not sent from its own page. Open the page and submit the form again.',
  },
  originRefused: {
    status: 403,
    code: 'ORIGIN_REFUSED',
    message: 'This Origin is not in the allowed origins of the tag.',
  },
  serverTokenRequired: {
    status: 403,
    code: 'SERVER_TOKEN_REQUIRED',
    message: 'This tag accepts events only from its allowed origins or with an access token.',
  },
  navigationRefused: {
    status: 403,
    code: 'NAVIGATION_REFUSED',
    message: 'Call this URL from a script with fetch. Navigation from another site is refused.',
  },
  loopRefused: {
    status: 403,
    code: 'LOOP_REFUSED',
    message: 'A channel of a tag sent this request. Accepting it would create a loop of events.',
  },
  notFound: { status: 404, code: 'NOT_FOUND', message: 'No resource exists at this URL.' },
  tagUnknown: { status: 404, code: 'TAG_UNKNOWN', message: 'Tag not found.' },
  teamUnknown: { status: 404, code: 'TEAM_UNKNOWN', message: 'Team not found.' },
  applicationUnknown: { status: 404, code: 'APPLICATION_UNKNOWN', message: 'Application not found.' },
  memberUnknown: { status: 404, code: 'MEMBER_UNKNOWN', message: 'Member not found.' },
  invitationUnknown: {
    status: 404,
    code: 'INVITATION_UNKNOWN',
    message: 'Invitation not found. It may have expired or been accepted or revoked.',
  },
  emailLinkUnknown: {
    status: 404,
    code: 'EMAIL_LINK_UNKNOWN',
    message: 'Link not found. It may have expired or been used or replaced.',
  },
  emailChangeUnknown: {
    status: 404,
    code: 'EMAIL_CHANGE_UNKNOWN',
    message: 'This person has no unconfirmed e-mail.',
  },
  sessionUnknown: { status: 404, code: 'SESSION_UNKNOWN', message: 'Session not found.' },
  deviceUnknown: { status: 404, code: 'DEVICE_UNKNOWN', message: 'Device not found.' },
  grantUnknown: {
    status: 404,
    code: 'GRANT_UNKNOWN',
    message: 'Grant not found: this person has not given this application access to this team.',
  },
  tokenUnknown: { status: 404, code: 'TOKEN_UNKNOWN', message: 'Access token not found.' },
  userUnknown: { status: 404, code: 'USER_UNKNOWN', message: 'User not found on this tag.' },
  eventUnknown: { status: 404, code: 'EVENT_UNKNOWN', message: 'Event not found on this tag.' },
  deploymentUnknown: {
    status: 404,
    code: 'DEPLOYMENT_UNKNOWN',
    message: 'Deployment not found on this tag.',
  },
  ...alertFaults,
  hookUnknown: { status: 404, code: 'HOOK_UNKNOWN', message: 'Hook not found.' },
  orderUnknown: { status: 404, code: 'ORDER_UNKNOWN', message: 'Order not found on this tag.' },
  replayUnknown: { status: 404, code: 'REPLAY_UNKNOWN', message: 'Replay not found on this tag.' },
  methodNotAllowed: {
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
    message: 'This URL does not support this method. See the header Allow.',
  },
  policyIdMissing: { status: 407, code: 'POLICY_ID_MISSING', message: 'The request has no policy id.' },
  requestTimeout: { status: 408, code: 'REQUEST_TIMEOUT', message: 'The request did not arrive in time.' },
  scriptNotFound: { status: 406, code: 'SCRIPT_NOT_FOUND', message: 'Script not found.' },
  scriptOrTagNotFound: {
    status: 409,
    code: 'SCRIPT_OR_TAG_NOT_FOUND',
    message: 'Script or tag not found.',
  },
  tagNotFound: { status: 409, code: 'TAG_NOT_FOUND', message: 'Tag not found.' },
  policyNotFound: { status: 409, code: 'POLICY_NOT_FOUND', message: 'Policy not found.' },
  changedMeanwhile: {
    status: 409,
    code: 'CHANGED_MEANWHILE',
    message:
      'The object has changed since the version in If-Match. Read it again; attributes contains its version and who saved it.',
  },
  nameTaken: { status: 409, code: 'NAME_TAKEN', message: 'This name is already in use.' },
  tooManyTokens: {
    status: 409,
    code: 'TOO_MANY_TOKENS',
    message: 'The application already has two valid tokens: revoke one with DELETE /token/{tokenId} first.',
  },
  applicationIsPublic: {
    status: 409,
    code: 'APPLICATION_IS_PUBLIC',
    message: 'This application is public, so it has no client secret.',
  },
  lastOwner: { status: 409, code: 'LAST_OWNER', message: 'A team must have at least one owner.' },
  emailTaken: { status: 409, code: 'EMAIL_TAKEN', message: 'Another person already signs in with this e-mail.' },
  providerIsSingleton: {
    status: 409,
    code: 'PROVIDER_IS_SINGLETON',
    message: 'The tag already has a script of this provider, and can have only one.',
  },
  bodyTooLarge: { status: 413, code: 'BODY_TOO_LARGE', message: 'The body is larger than this operation accepts.' },
  contentTypeRefused: { status: 415, code: 'CONTENT_TYPE_REFUSED', message: 'Send the body as application/json.' },
  tooManyRequests: {
    status: 429,
    code: 'TOO_MANY_REQUESTS',
    message: 'Too many requests. Retry after the seconds in Retry-After.',
  },
  tooManyAttempts: {
    status: 429,
    code: 'TOO_MANY_ATTEMPTS',
    message: 'Too many attempts. Retry after the seconds in Retry-After.',
  },
  headersTooLarge: {
    status: 431,
    code: 'HEADERS_TOO_LARGE',
    message: 'The request has more than 16 KiB of headers or more than 64 headers.',
  },
  hookFailed: {
    status: 500,
    code: 'HOOK_FAILED',
    message: 'A deploy hook stopped the deployment; nothing was saved. See hookErrors.',
  },
  internal: { status: 500, code: 'INTERNAL', message: 'An internal error occurred; nothing was saved.' },
  webhookFailed: {
    status: 500,
    code: 'WEBHOOK_FAILED',
    message: 'The code of this webhook did not return a response. See attributes.',
  },
  transferCodingUnknown: {
    status: 501,
    code: 'TRANSFER_CODING_UNKNOWN',
    message: 'The only supported transfer coding is chunked. To compress a body, use Content-Encoding.',
  },
  webhookOff: {
    status: 503,
    code: 'WEBHOOK_OFF',
    message: 'This server does not run customers’ code. /readyz tells the operator why.',
  },
  overloaded: {
    status: 503,
    code: 'OVERLOADED',
    message: 'The server is overloaded. Retry after the seconds in Retry-After.',
  },
  ...databaseFaults,
  ...limitFaults,
} as const satisfies Record<string, { status: number; code: string; message: string }>

export type FaultName = keyof typeof faults

/** An error of the caller. It is thrown where it is detected. The HTTP layer responds with its Error object. */
export class Fault extends Error {
  readonly fault: FaultName
  readonly status: number
  readonly code: string
  readonly attributes: Record<string, unknown> | undefined
  readonly headers: Record<string, string>
  readonly hookErrors: readonly HookError[] | undefined
  readonly result: readonly EventResult[] | undefined

  constructor(name: FaultName, options: FaultOptions = {}) {
    super(options.message ?? faults[name].message)
    this.name = 'Fault'
    this.fault = name
    this.status = faults[name].status
    this.code = faults[name].code
    this.attributes = options.attributes
    this.headers = options.headers ?? {}
    this.hookErrors = options.hookErrors
    this.result = options.result
  }
}

/** `headers` are set on the response: Allow, Retry-After, WWW-Authenticate. */
type FaultOptions = {
  message?: string
  attributes?: Record<string, unknown>
  headers?: Record<string, string>
  hookErrors?: readonly HookError[]
  result?: readonly EventResult[]
}

export const fault = (name: FaultName, options?: FaultOptions) => new Fault(name, options)

/** A 400 with the message and the path of each issue. */
export const badRequest = (...issues: readonly RequestIssue[]) =>
  fault('badRequest', { ...(issues.length > 0 && { message: issueSentence(issues) }), attributes: { issues } })

export const errorObject = ({ message, status, code, attributes, hookErrors, result }: Fault): ErrorObject => ({
  message,
  statusCode: status,
  error: code,
  ...(attributes && { attributes }),
  ...(hookErrors && { hookErrors: [...hookErrors] }),
  ...(result && { result: [...result] }),
})
