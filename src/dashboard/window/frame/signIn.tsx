import { useState } from 'preact/hooks'
import type { EnvironmentName } from '#contract/me.ts'
import { apiPath } from '#dashboard/addresses.ts'
import { signIn } from '#dashboard/api/sessionClient.ts'
import { frameWords, signInWords } from '#dashboard/words/en/frame.ts'
import { queries } from '../data/query.ts'
import { signedOut } from '../data/signal.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'

/** The password is only in its field, and is read when the form is sent. */
function SignInForm({ environment }: { environment: EnvironmentName }) {
  const [state, setState] = useState<'idle' | 'busy' | keyof typeof signInWords.errors>('idle')
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget as HTMLFormElement)
    setState('busy')
    const options = { apiPath: apiPath(environment), origin: location.origin }
    const values = { email: `${fields.get('email')}`, password: `${fields.get('password')}` }
    const refused = await signIn(options, values).catch(() => 'failed' as const)
    if (refused) return setState(refused)
    signedOut.value = false
    await queries.invalidateQueries()
    return setState('idle')
  }
  return (
    <form class="stack signInForm" method="post" onSubmit={submit}>
      {state !== 'idle' && state !== 'busy' && (
        <p class="inputRow problemLine" role="alert">
          {signInWords.errors[state]}
        </p>
      )}
      <label>
        <span>{frameWords.email}</span>
        <input name="email" type="email" autocomplete="username" required maxLength={254} />
      </label>
      <label>
        <span>{signInWords.password}</span>
        <input name="password" type="password" autocomplete="current-password" required maxLength={200} />
      </label>
      <Button type="submit" variant="primary" isBusy={state === 'busy'}>
        {state === 'busy' ? signInWords.working : signInWords.title}
      </Button>
      <a href={`${apiPath(environment)}/account/forgot`} target="_self">
        {signInWords.forgot}
      </a>
    </form>
  )
}

/** The whole page, before any data is loaded. */
export function SignInPage({ environment }: { environment: EnvironmentName }) {
  const isSignedOut = location.search === '?signedOut'
  return (
    <main class="signInPage">
      <div class="stack panel signInCard">
        <p class="brand">
          <span class="brandMark" aria-hidden="true" /> {frameWords.product}
          <span class={`environment ${environment}`}>{frameWords.environment[environment]}</span>
        </p>
        <h1 tabIndex={-1} id="title">
          {signInWords.title}
        </h1>
        {isSignedOut && <p role="status">{signInWords.signedOut[environment]}</p>}
        <SignInForm environment={environment} />
        <p class="soft">{signInWords.help}</p>
      </div>
    </main>
  )
}

/** A dialog over the page for a session that ends during work: the page below keeps its state. */
export const SignInDialog = ({ environment }: { environment: EnvironmentName }) => (
  <Dialog title={signInWords.again} variant="narrow">
    <p class="soft">{signInWords.againText}</p>
    <SignInForm environment={environment} />
  </Dialog>
)
