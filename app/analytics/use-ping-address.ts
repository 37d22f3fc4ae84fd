import { useRouteLoaderData } from 'react-router'
import { avisoDe } from './schema.ts'

/**
 * Addresses that a link's `ping` tells of a tap. HTML wants them whole.
 * @returns the address of one
 */
export function useAviso(): (...what: Parameters<typeof avisoDe>) => string {
  const root = useRouteLoaderData<{ origen: string }>('root')
  return (...what) => `${root?.origen ?? ''}${avisoDe(...what)}`
}
