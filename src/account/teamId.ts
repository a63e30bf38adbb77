import { fault } from '#contract/fault.ts'

/** The fault teamIdMissing, which names the team of the caller's token. */
export const teamIdMissing = (ofToken: string) =>
  fault('teamIdMissing', {
    message: `Send the header Team-Id with the id of your team. This token belongs to ${ofToken}.`,
    attributes: { teams: [ofToken] },
  })

/** True if the header Team-Id has the form of a team's id; the team may not exist. */
export const isTeamId = (text: unknown): text is string =>
  typeof text === 'string' && /^team_[0-9a-hjkmnp-tv-z]{26}$/.test(text)
