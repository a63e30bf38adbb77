import { render } from 'preact'
import { LocationProvider } from 'preact-iso/router'
import { basePath, environmentOf } from '#dashboard/addresses.ts'
import { App } from './frame/app.tsx'
import { pageComponents } from './pages/pageComponents.ts'
import 'uplot/dist/uPlot.min.css'
import './style/font.css'
import './style/theme.css'
import './style/base.css'
import './style/frame.css'
import './style/parts.css'
import './style/list.css'
import './style/form.css'
import './style/manage.css'

const environment = environmentOf(location.pathname)
document.documentElement.dataset.environment = environment

render(
  <LocationProvider scope={basePath(environment)}>
    <App environment={environment} components={pageComponents} />
  </LocationProvider>,
  document.getElementById('app')!,
)
