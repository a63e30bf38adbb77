import type { ErrorObject, HookError } from './errorObject.ts'
import type { EventResult } from './event.ts'
import { issueSentence, type RequestIssue } from './issueSentence.ts'
import { limitFaultMessages } from './limitFaults.ts'

/** The named faults by their HTTP status, with their default messages. The code of a fault is its name: see `codeOf`. */
const faultMessages = {
  400: {
    badRequest: 'The request is not valid for this operation.',
    jsonBroken: 'The body is not valid JSON.',
    httpBroken: 'This is not a valid HTTP request.',
    teamIdMissing: 'Send the header Team-Id with the id of your team (team_…).',
    secretRefused:
      'A secret entry could not be decrypted. Seal it again with a current key from GET /jwks.json, for this environment, team, provider, variable and type.',
  },
  401: {
    tokenMissing: 'Send the header Authorization: Bearer <ACCESS_TOKEN>.',
    tokenRefused: 'The access token is malformed, unknown, expired, revoked or from the other environment.',
    sessionMissing: 'Send the header Authorization: Bearer <SESSION> with the session from POST /session.',
    sessionRefused: 'The session is malformed, unknown, expired, signed out or from the other environment.',
    webhookTokenRefused: 'Send the webhook’s own token: Authorization: Bearer <WEBHOOK_TOKEN>.',
  },
  403: {
    teamRefused: 'The access token or the signed-in person does not belong to the team in Team-Id.',
    scopeMissing: 'The access token or the signed-in person’s role lacks a scope that this operation needs.',
    operatorRequired: 'Only the signed-in operator of this server can do this.',
    signInRefused: 'The e-mail or the password is wrong.',
    passwordRefused: 'The current password is wrong.',
    providerNotAvailable: 'This provider is not available to the team. GET /manifest lists the available providers.',
    policyNotAccepted:
      'The team has not accepted the latest version of every required policy. See attributes.policies.',
    applicationNotApproved: 'The operator has not approved this application yet.',
    formRefused: 'This form was not sent from its own page. Open the page and submit the form again.',
    originRefused: 'This Origin is not in the allowed origins of the tag.',
    serverTokenRequired: 'This tag accepts events only from its allowed origins or with an access token.',
    navigationRefused: 'Call this URL from a script with fetch. Navigation from another site is refused.',
    loopRefused: 'A channel of a tag sent this request. Accepting it would create a loop of events.',
  },
  404: {
    notFound: 'No resource exists at this URL.',
    tagUnknown: 'Tag not found.',
    teamUnknown: 'Team not found.',
    applicationUnknown: 'Application not found.',
    memberUnknown: 'Member not found.',
    invitationUnknown: 'Invitation not found. It may have expired or been accepted or revoked.',
    emailLinkUnknown: 'Link not found. It may have expired or been used or replaced.',
    emailChangeUnknown: 'This person has no unconfirmed e-mail.',
    sessionUnknown: 'Session not found.',
    deviceUnknown: 'Device not found.',
    grantUnknown: 'Grant not found: this person has not given this application access to this team.',
    tokenUnknown: 'Access token not found.',
    userUnknown: 'User not found on this tag.',
    eventUnknown: 'Event not found on this tag.',
    deploymentUnknown: 'Deployment not found on this tag.',
    contactPointUnknown: 'Contact point not found.',
    alertRuleUnknown: 'Alert rule not found.',
    hookUnknown: 'Hook not found.',
    orderUnknown: 'Order not found on this tag.',
    replayUnknown: 'Replay not found on this tag.',
  },
  405: {
    methodNotAllowed: 'This URL does not support this method. See the header Allow.',
  },
  406: {
    scriptNotFound: 'Script not found.',
  },
  407: {
    policyIdMissing: 'The request has no policy id.',
  },
  408: {
    requestTimeout: 'The request did not arrive in time.',
  },
  409: {
    contactPointUnconfirmed:
      'The address is not confirmed. Enter the code from its e-mail with POST /contact-point/{name}/confirm.',
    contactCodeWrong: 'The code is wrong, used or older than a day. Save the contact point again to get a new one.',
    scriptOrTagNotFound: 'Script or tag not found.',
    tagNotFound: 'Tag not found.',
    policyNotFound: 'Policy not found.',
    changedMeanwhile:
      'The object has changed since the version in If-Match. Read it again; attributes contains its version and who saved it.',
    nameTaken: 'This name is already in use.',
    tooManyTokens: 'The application already has two valid tokens: revoke one with DELETE /token/{tokenId} first.',
    applicationIsPublic: 'This application is public, so it has no client secret.',
    lastOwner: 'A team must have at least one owner.',
    emailTaken: 'Another person already signs in with this e-mail.',
    providerIsSingleton: 'The tag already has a script of this provider, and can have only one.',
  },
  413: {
    bodyTooLarge: 'The body is larger than this operation accepts.',
  },
  415: {
    contentTypeRefused: 'Send the body as application/json.',
  },
  429: {
    tooManyRequests: 'Too many requests. Retry after the seconds in Retry-After.',
    tooManyAttempts: 'Too many attempts. Retry after the seconds in Retry-After.',
  },
  431: {
    headersTooLarge: 'The request has more than 16 KiB of headers or more than 64 headers.',
  },
  500: {
    hookFailed: 'A deploy hook stopped the deployment; nothing was saved. See hookErrors.',
    internal: 'An internal error occurred; nothing was saved.',
    webhookFailed: 'The code of this webhook did not return a response. See attributes.',
  },
  501: {
    transferCodingUnknown: 'The only supported transfer coding is chunked. To compress a body, use Content-Encoding.',
  },
  503: {
    webhookOff: 'This server does not run customers’ code. /readyz tells the operator why.',
    overloaded: 'The server is overloaded. Retry after the seconds in Retry-After.',
    databaseAway: 'The database does not answer; nothing was saved. Retry after the seconds in Retry-After.',
    databaseReadOnly:
      'The database is read-only or its disk is full; nothing was saved. Retry after the seconds in Retry-After.',
    commitUnknown:
      'The database did not confirm the change in time, so it may or may not be saved. After the seconds in Retry-After, read it and repeat only what is missing.',
  },
} as const

type NamesIn<Messages> = { [Status in keyof Messages]: keyof Messages[Status] }[keyof Messages]
export type LimitFaultName = NamesIn<typeof limitFaultMessages>
export type FaultName = NamesIn<typeof faultMessages> | LimitFaultName

/** `TAG_UNKNOWN` of `tagUnknown`. Clients compare codes, so no fault is ever renamed. */
const codeOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()

const toFaults = (messages: Readonly<Record<number, Readonly<Record<string, string>>>>) =>
  Object.entries(messages).flatMap(([status, byName]) =>
    Object.entries(byName).map(([name, message]) => [name, { status: Number(status), code: codeOf(name), message }]),
  )

/** Every named fault, with its HTTP status, its stable code and its default message. */
export const faults: Readonly<Record<FaultName, { status: number; code: string; message: string }>> =
  Object.fromEntries([...toFaults(faultMessages), ...toFaults(limitFaultMessages)])

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
