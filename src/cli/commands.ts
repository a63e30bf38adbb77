import { policyTypes } from '#contract/policy.ts'
import { secretTypes } from '#contract/script.ts'

/** A command of the command line: its words, and the options it takes beside those that all take. */
export type Words = {
  words: string
  about: string
  takes: readonly { flag: string; help: string; isOptional?: true; choices?: readonly string[] }[]
}

const team = { flag: '--team <teamId>', help: 'the team' }

/** What an operator does in one environment; each works while the server runs and when it is down. */
export const operatorCommands: readonly Words[] = [
  {
    words: 'team create',
    about: 'Makes a team',
    takes: [{ flag: '--name <name>', help: 'its name' }],
  },
  { words: 'team list', about: 'Lists every team of the environment', takes: [] },
  { words: 'application pending', about: 'Lists the applications that wait to be approved', takes: [] },
  {
    words: 'application approve',
    about: 'Lets an application of any team ask for tokens',
    takes: [{ flag: '--id <applicationId>', help: 'the id of the application' }],
  },
  {
    words: 'email pending',
    about: 'Lists the e-mails that people want to sign in with and have not confirmed',
    takes: [],
  },
  {
    words: 'email link',
    about: 'Makes the link that confirms such an e-mail, to be sent there; it works once',
    takes: [{ flag: '--person <personId>', help: 'the person who asked' }],
  },
  {
    words: 'token create',
    about: 'Makes an access token; it is shown this once',
    takes: [
      team,
      {
        flag: '--scopes <list>',
        help: 'what it may do, such as script:read,event:read (everything)',
        isOptional: true,
      },
      { flag: '--expires <time>', help: 'for how long: 30m, 12h, 90d (90d)', isOptional: true },
    ],
  },
  {
    words: 'token revoke',
    about: 'Ends an access token at once',
    takes: [{ flag: '--id <tokenId>', help: 'the id of the token' }],
  },
  {
    words: 'policy publish',
    about: 'Publishes a version of a policy; the newest of a type is its latest',
    takes: [
      { flag: '--type <type>', help: 'which policy', choices: policyTypes },
      { flag: '--version <version>', help: 'the version, such as 2026-11' },
      { flag: '--required', help: 'no team makes a script before it has accepted this version', isOptional: true },
    ],
  },
  {
    words: 'policy list',
    about: 'Lists the versions that were published',
    takes: [],
  },
  {
    words: 'key rotate',
    about: 'Puts a new key in the place of one; what was sealed before still opens',
    takes: [
      {
        flag: '--what <what>',
        help: 'the key that callers seal for, the keys of teams, or the root key of both environments',
        choices: ['sealing', 'team', 'root'],
      },
      { flag: '--team <teamId>', help: 'the one team (every team)', isOptional: true },
    ],
  },
]

/** Its environment and its key are the token's: it asks GET /me. */
export const sealWords: Words = {
  words: 'secret seal',
  about: 'Seals a value for a provider of a team: prints the Secret entry',
  takes: [
    { flag: '--base-url <url>', help: 'where the API is, ending with /v1' },
    { flag: '--token <token>', help: 'an access token of the team' },
    { flag: '--team <teamId>', help: 'the team' },
    { flag: '--provider <providerId>', help: 'the provider' },
    { flag: '--variable <variable>', help: 'the variable, as GET /manifest lists it' },
    { flag: '--type <type>', help: 'its type, as GET /manifest lists it', choices: secretTypes },
    { flag: '--value <value>', help: 'the value; - reads it from standard input, without its last line break' },
  ],
}
