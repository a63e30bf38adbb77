/** Whether the header Team-Id has the form of a team's id; the team may not exist. */
export const isTeamId = (text: unknown): text is string =>
  typeof text === 'string' && /^team_[0-9a-hjkmnp-tv-z]{26}$/.test(text)
