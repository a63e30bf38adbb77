import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { domainOf } from '#dashboard/form/tagForm.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { settingsWords as words } from '#dashboard/words/en/settings.ts'
import { useAction } from '../../data/action.ts'
import { useAddress, useMay } from '../../data/here.tsx'
import { Button, LinkButton } from '../../parts/button.tsx'
import { FormProblem } from '../../parts/formDialog.tsx'
import { TextField } from '../../parts/inputs.tsx'
import { PageHead, Panel } from '../../parts/panel.tsx'

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
  const issues = action.issues('name', 'domain')
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
            <TextField
              key={name}
              name={name}
              label={label}
              issue={issues[name]}
              help={help}
              required
              placeholder={placeholder}
              value={values[name]}
              onChange={(text) => setValues({ ...values, [name]: text })}
              onBlur={() => setValues((before) => ({ ...before, domain: domainOf(before.domain) }))}
            />
          ))}
          <FormProblem error={action.error} issues={issues} />
          <div class="formFoot">
            <LinkButton look="quiet" href={address('moveIn', {})}>
              {frameWords.title('moveIn')}
            </LinkButton>
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
