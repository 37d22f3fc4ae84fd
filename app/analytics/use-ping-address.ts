import { useRouteLoaderData } from 'react-router'
import { avisoDe } from './schema.ts'

/**
 * Makes addresses for the `ping` attribute of links, which reports taps; HTML requires absolute URLs there.
 * @returns the address of an event
 */
export function useAviso(): (...what: Parameters<typeof avisoDe>) => string {
  const root = useRouteLoaderData<{ origen: string }>('root')
  return (...what) => `${root?.origen ?? ''}${avisoDe(...what)}`
}
