import { useRef } from 'react'
import { SendingProgress, type SendingProgressProps } from './sending-progress.tsx'
import { timeLeftInWords } from './time-left.ts'

/** Renders the progress of a large upload with an estimate of the time left. The pace is measured anew after each delay. */
export function EstimatedProgress(props: SendingProgressProps) {
  const { sent, total, waitText } = props
  const start = useRef<{ atMs: number; sent: number }>(undefined)
  const now = performance.now()
  if (!start.current || waitText) start.current = { atMs: now, sent }
  const timeLeft = timeLeftInWords(now - start.current.atMs, sent - start.current.sent, total - sent)
  return <SendingProgress {...props} timeLeft={timeLeft} />
}
