import { findGrantedApplications, revokeApplicationAccess } from '#account/applicationGrants.ts'
import { findDevice, findKnownDevices, forgetDevice as forget } from '#account/knownDevice.ts'
import { endSessionById, findOpenSessions, sessionIdOf } from '#account/session.ts'
import { fault } from '#contract/fault.ts'
import type { AnswerFor } from './controlDeps.ts'

export const listSessions: AnswerFor<'listSessions'> = async ({ access: { person, session } }, deps) => {
  const current = sessionIdOf(session)
  const sessions = await findOpenSessions(deps, person.personId)
  return {
    sessions: sessions.map((each) => ({
      sessionId: sessionIdOf(each),
      createdAt: each.createdAt,
      expiresAt: each.expiresAt,
      isCurrent: sessionIdOf(each) === current,
      byLink: each.byLink === true,
    })),
  }
}

export const endSession: AnswerFor<'endSession'> = async ({ params: { sessionId }, access, from }, deps) => {
  await endSessionById(deps, access, sessionId, from)
  const { personId } = access.person
  deps.log({ message: 'changed', what: 'endSession', by: personId, object: personId })
  return { sessionId }
}

export const listDevices: AnswerFor<'listDevices'> = async ({ access: { person }, browser }, deps) => {
  const current = await findDevice(deps, person, browser?.device)
  const devices = await findKnownDevices(deps, person.personId)
  return {
    devices: devices.map(({ deviceId, createdAt, seenAt, browser: name, system }) => {
      return { deviceId, createdAt, seenAt, browser: name, system, isCurrent: deviceId === current?.deviceId }
    }),
  }
}

export const forgetDevice: AnswerFor<'forgetDevice'> = async ({ params: { deviceId }, access, from }, deps) => {
  await forget(deps, access, deviceId, from)
  const { personId } = access.person
  deps.log({ message: 'changed', what: 'forgetDevice', by: personId, object: personId })
  return { deviceId }
}

export const listGrants: AnswerFor<'listGrants'> = async ({ access: { person } }, deps) => ({
  grants: await findGrantedApplications(deps, person.personId),
})

export const endGrant: AnswerFor<'endGrant'> = async ({ query, access: { person }, from }, deps) => {
  const { personId } = person
  const { applicationId, teamId } = query
  if (!(await revokeApplicationAccess(deps, personId, query, from))) throw fault('grantUnknown')
  deps.log({ message: 'changed', what: 'endGrant', by: personId, teamId, object: applicationId })
  return { applicationId, teamId }
}
