import type { CustomerScope } from '#contract/scopes.ts'
import { applicationWords as words } from '#dashboard/words/en/govern.ts'
import { Button } from '../../parts/button.tsx'
import { CheckRow } from '../../parts/inputs.tsx'

/** The scopes of an application or a token, each with a box. */
export function ScopeChoice({
  of,
  value: chosen,
  onChange,
  issue,
}: {
  of: readonly CustomerScope[]
  value: readonly CustomerScope[]
  onChange: (next: CustomerScope[]) => void
  issue?: string | undefined
}) {
  const keep = (test: (scope: CustomerScope) => boolean) => onChange(of.filter(test))
  return (
    <fieldset class="field">
      <legend>{words.scopes}</legend>
      <div class="row">
        <Button isSmall onClick={() => keep((scope) => scope.endsWith(':read'))}>
          {words.readOnly}
        </Button>
        <Button isSmall onClick={() => keep(() => true)}>
          {words.allScopes}
        </Button>
        <Button isSmall onClick={() => keep(() => false)}>
          {words.noScopes}
        </Button>
      </div>
      <div class="scopeGrid">
        {of.map((scope) => (
          <CheckRow
            key={scope}
            label={<code>{scope}</code>}
            value={chosen.includes(scope)}
            onChange={(isOn) => keep((each) => (each === scope ? isOn : chosen.includes(each)))}
          />
        ))}
      </div>
      <p class="fieldIssue">{issue}</p>
    </fieldset>
  )
}
