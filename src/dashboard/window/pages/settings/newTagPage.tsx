import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { issuesOf } from '#dashboard/api/problem.ts'
import { domainOf, issuesByName } from '#dashboard/form/tagForm.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { settingsWords as words } from '#dashboard/words/en/settings.ts'
import { useAction } from '../../data/action.ts'
import { useAddress, useMay } from '../../data/here.tsx'
import { Button, LinkButton } from '../../parts/button.tsx'
import { Field } from '../../parts/field.tsx'
import { PageHead, Panel } from '../../parts/panel.tsx'
import { ProblemLine } from '../../parts/view.tsx'

const fields = [
  { name: 'name', label: words.newName, placeholder: undefined, help: undefined },
  { name: 'domain', label: words.newDomain, placeholder: words.domainPlaceholder, help: words.domainHint },
] as const

/** Makes a tag, and goes to its installation. */
export default function NewTagPage() {
  const { route } = useLocation()
  const address = useAddress()
  const { why } = useMay('tag:write')
  const action = useAction('me')
  const [values, setValues] = useState({ name: '', domain: '' })
  const issues = issuesByName(issuesOf(action.error), ['name', 'domain'])
  const isReady = values.name.trim() !== '' && values.domain.trim() !== ''
  const create = async (event: SubmitEvent) => {
    event.preventDefault()
    if (!isReady || why) return
    const body = { name: values.name.trim(), domain: domainOf(values.domain) }
    const tag = await action.run((api) => api.createTag({ body }))
    if (tag) route(address('install', { tagId: tag.tagId }))
  }
  return (
    <>
      <PageHead
        above={<a href={address('team', {})}>{frameWords.title('team')}</a>}
        title={words.newTitle}
        below={words.newIntro}
      />
      <form class="stack narrowForm" onSubmit={create}>
        <Panel title={words.general}>
          {fields.map(({ name, label, placeholder, help }) => (
            <Field key={name} label={label} issue={issues[name]} help={help}>
              {({ id, describedBy, isInvalid }) => (
                <input
                  type="text"
                  id={id}
                  name={name}
                  aria-describedby={describedBy}
                  aria-invalid={isInvalid}
                  required
                  autocomplete="off"
                  spellcheck={false}
                  placeholder={placeholder}
                  value={values[name]}
                  onInput={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
                  onBlur={() => setValues((before) => ({ ...before, domain: domainOf(before.domain) }))}
                />
              )}
            </Field>
          ))}
          {Object.keys(issues).length === 0 && <ProblemLine error={action.error} />}
          {issues[''] && <p class="fieldIssue">{issues['']}</p>}
          <div class="formFoot">
            <LinkButton look="quiet" href={address('team', {})}>
              {frameWords.cancel}
            </LinkButton>
            <Button type="submit" look="primary" why={why} isDisabled={!isReady} isBusy={action.isBusy}>
              {words.create}
            </Button>
          </div>
        </Panel>
      </form>
    </>
  )
}
