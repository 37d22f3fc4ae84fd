import { useRouteLoaderData } from 'react-router'
import { beaconUrlOf } from './schema.ts'

/** Returns a function that makes the URL for a link's `ping` attribute, which reports taps. HTML requires an absolute URL. */
export function usePingUrl(): (...beaconArgs: Parameters<typeof beaconUrlOf>) => string {
  const root = useRouteLoaderData<{ origin: string }>('root')
  return (...beaconArgs) => `${root?.origin ?? ''}${beaconUrlOf(...beaconArgs)}`
}
