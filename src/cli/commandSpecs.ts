import { dashboardLanguages } from '#contract/dashboardLanguage.ts'
import { policyTypes } from '#contract/policy.ts'
import { secretTypes } from '#contract/script.ts'

/** A command with its arguments and its own options. */
export type CommandSpec = {
  words: string
  about: string
  /** The result in one line, with `{member}` for its values. By default the members are printed. */
  sentence?: string
  options: readonly { flag: string; help: string; isOptional?: true; choices?: readonly string[] }[]
}

const languageOption = {
  flag: '--language <language>',
  help: 'of the mail (en)',
  isOptional: true as const,
  choices: Object.keys(dashboardLanguages),
}
const teamOption = { flag: '--team <teamId>', help: 'the team' }

/** The operator's commands in one environment. Each works with and without a running server. */
export const operatorCommandSpecs: readonly CommandSpec[] = [
  {
    words: 'team create',
    about: 'Creates a team',
    sentence: 'Created team {teamId}.',
    options: [{ flag: '--name <name>', help: 'its name' }],
  },
  { words: 'team list', about: 'Lists every team of the environment', options: [] },
  {
    words: 'sign-in',
    about: 'Creates a link that signs the operator in once, within an hour',
    sentence: '{url}   (once, until {expiresAt})',
    options: [],
  },
  { words: 'application pending', about: 'Lists the applications that wait for approval', options: [] },
  {
    words: 'application approve',
    about: 'Approves an application of any team, so that it can get tokens',
    sentence: 'Approved application {applicationId} ({name}).',
    options: [{ flag: '--id <applicationId>', help: 'the id of the application' }],
  },
  {
    words: 'email pending',
    about: 'Lists the new e-mail addresses of people that are not confirmed',
    options: [],
  },
  {
    words: 'email link',
    about: 'Creates a one-time link that confirms a new e-mail address, and mails it if the server can send mail',
    options: [{ flag: '--person <personId>', help: 'the person who changes the address' }, languageOption],
  },
  {
    words: 'person reset',
    about: 'Creates a one-time link to set a new password within an hour, and mails it if the server can send mail',
    options: [{ flag: '--email <email>', help: 'the e-mail that the person signs in with' }, languageOption],
  },
  {
    words: 'token create',
    about: 'Creates an access token; it is shown only once',
    sentence: 'Created token {tokenId}, shown this once: {token}',
    options: [
      teamOption,
      {
        flag: '--scopes <list>',
        help: 'its scopes, such as script:read,event:read (all)',
        isOptional: true,
      },
      { flag: '--expires <time>', help: 'its lifetime: 30m, 12h, 90d (90d)', isOptional: true },
    ],
  },
  {
    words: 'token list',
    about: 'Lists the valid access tokens of a team, without their text',
    options: [teamOption],
  },
  {
    words: 'token revoke',
    about: 'Revokes an access token at once',
    sentence: 'Revoked token {tokenId}.',
    options: [{ flag: '--id <tokenId>', help: 'the id of the token' }],
  },
  {
    words: 'policy publish',
    about: 'Publishes a version of a policy; it becomes the latest of its type',
    sentence: 'Published {policyType} version {version}.',
    options: [
      { flag: '--type <type>', help: 'the type of the policy', choices: policyTypes },
      { flag: '--version <version>', help: 'the version, such as 2026-11' },
      { flag: '--required', help: 'a team must accept this version before it creates a script', isOptional: true },
      { flag: '--url <url>', help: 'the https URL of the text of the policy', isOptional: true },
    ],
  },
  {
    words: 'policy withdraw',
    about: 'Withdraws a version of a policy; the previous version becomes the latest of its type',
    sentence: 'Withdrew {policyType} version {version}.',
    options: [
      { flag: '--type <type>', help: 'the type of the policy', choices: policyTypes },
      { flag: '--version <version>', help: 'the version' },
    ],
  },
  {
    words: 'policy list',
    about: 'Lists the published versions of policies',
    options: [],
  },
  {
    words: 'key rotate',
    about: 'Rotates a key; existing secrets can still be decrypted',
    options: [
      {
        flag: '--what <what>',
        help: 'the sealing key of callers, the keys of teams, or the root key of both environments',
        choices: ['sealing', 'team', 'root'],
      },
      { flag: '--team <teamId>', help: 'the team (every team)', isOptional: true },
    ],
  },
]

/** GET /me with the token returns the environment and the key. */
export const sealCommandSpec: CommandSpec = {
  words: 'secret seal',
  about: 'Seals a value for a provider of a team and prints the Secret entry',
  options: [
    { flag: '--base-url <url>', help: 'the address of the API, ending with /v1' },
    { flag: '--token <token>', help: 'an access token of the team' },
    { flag: '--team <teamId>', help: 'the team' },
    { flag: '--provider <providerId>', help: 'the provider' },
    { flag: '--variable <variable>', help: 'the variable, as GET /manifest lists it' },
    { flag: '--type <type>', help: 'its type, as GET /manifest lists it', choices: secretTypes },
    { flag: '--value <value>', help: 'the value; - reads it from standard input, without the last line break' },
  ],
}
