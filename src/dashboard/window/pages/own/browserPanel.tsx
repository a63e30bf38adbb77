import { useState } from 'preact/hooks'
import { type DashboardLanguage, dashboardLanguages } from '#contract/dashboardLanguage.ts'
import { ownWords as words } from '#dashboard/words/en/account.ts'
import { chooseLanguage, chosenLanguage } from '../../data/language.ts'
import { notifications } from '../../data/signal.ts'
import { Field } from '../../parts/field.tsx'
import { Panel } from '../../parts/panel.tsx'

const canNotify = () => 'Notification' in window && Notification.permission !== 'denied'

/** Asks the browser for its permission when it is switched on. */
function NotifyChoice() {
  const [isBlocked, setBlocked] = useState(notifications.value.value === 'on' && !canNotify())
  const change = async (isOn: boolean) => {
    notifications.set(isOn ? 'on' : 'off')
    if (isOn && canNotify()) await Notification.requestPermission().catch(() => 'denied')
    setBlocked(isOn && !(canNotify() && Notification.permission === 'granted'))
  }
  return (
    <div class="field">
      <label class="checkRow">
        <input
          type="checkbox"
          checked={notifications.value.value === 'on'}
          onChange={(event) => void change(event.currentTarget.checked)}
        />
        {words.notify}
      </label>
      <p class="hint">{words.notifyHint}</p>
      <p class="hint" role="status">
        {isBlocked && words.notifyBlocked}
      </p>
    </div>
  )
}

/** The settings that are stored in this browser only: the language of the texts, and whether it notifies. */
export function BrowserPanel() {
  return (
    <Panel title={words.browser} note={words.browserNote}>
      <Field label={words.language}>
        {({ id, describedBy }) => (
          <select
            id={id}
            aria-describedby={describedBy}
            value={chosenLanguage() ?? ''}
            onChange={(event) => chooseLanguage((event.currentTarget.value || undefined) as DashboardLanguage)}
          >
            <option value="">{words.browserLanguage}</option>
            {Object.entries(dashboardLanguages).map(([language, name]) => (
              <option key={language} value={language} lang={language}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <NotifyChoice />
    </Panel>
  )
}
