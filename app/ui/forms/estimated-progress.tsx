import { useRef } from 'react'
import { SendingProgress, type SendingProgressProps } from './sending-progress.tsx'
import { timeLeftInWords } from './time-left.ts'

/** Renders the progress of a large upload with an estimate of the time left, by the pace since the last delay. */
export function EstimatedProgress(props: SendingProgressProps) {
  const { sentBytes, totalBytes, waitText } = props
  const start = useRef<{ atMs: number; sentBytes: number }>(undefined)
  const now = performance.now()
  if (!start.current || waitText) start.current = { atMs: now, sentBytes }
  const timeLeft = timeLeftInWords(
    now - start.current.atMs,
    sentBytes - start.current.sentBytes,
    totalBytes - sentBytes,
  )
  return <SendingProgress {...props} timeLeft={timeLeft} />
}
