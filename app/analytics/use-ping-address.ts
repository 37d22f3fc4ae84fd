import { useRouteLoaderData } from 'react-router'
import { beaconUrlOf } from './schema.ts'

/**
 * Makes addresses for the `ping` attribute of links, which reports taps; HTML requires absolute URLs there.
 * @returns a function that gives the address of an event
 */
export function usePingAddress(): (...beaconArgs: Parameters<typeof beaconUrlOf>) => string {
  const root = useRouteLoaderData<{ origin: string }>('root')
  return (...beaconArgs) => `${root?.origin ?? ''}${beaconUrlOf(...beaconArgs)}`
}
