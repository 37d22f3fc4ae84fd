import { useEffect, useRef, useState } from 'react'
import styles from './photo-preview.module.css'
import { countPixels, SIZE_BYTES } from './pixel-count.ts'
import { Sheet } from './sheet-icon.tsx'

/** Side of the square preview in device pixels: 96 CSS pixels on a dense screen. */
const SIDE_PX = 192

/** Largest picture to decode: 256 MB in memory; more could crash the page on a phone. */
const MAX_PIXELS = 64_000_000

/** Photographs are decoded one at a time: five of twelve megapixels at once would take 250 MB on a phone. */
let turn: Promise<unknown> = Promise.resolve()

export function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const mine = turn.then(work)
  turn = mine.catch(() => {})
  return mine
}

async function draw(file: File, canvas: HTMLCanvasElement) {
  const pixels = countPixels(new Uint8Array(await file.slice(0, SIZE_BYTES).arrayBuffer()))
  if (pixels !== undefined && pixels > MAX_PIXELS) throw new Error('Too large to be drawn')
  // Only the reduced copy stays in memory. Throws for HEIC where the system cannot decode it.
  const bitmap = await createImageBitmap(file, { resizeWidth: SIDE_PX * 1.5, resizeQuality: 'medium' })
  const side = Math.min(bitmap.width, bitmap.height)
  canvas.width = SIDE_PX
  canvas.height = SIDE_PX
  canvas
    .getContext('2d')
    ?.drawImage(bitmap, (bitmap.width - side) / 2, (bitmap.height - side) / 2, side, side, 0, 0, SIDE_PX, SIDE_PX)
  bitmap.close()
}

const kindOf = (name: string) => (/\.([a-z0-9]{2,4})$/i.exec(name)?.[1] ?? '').toUpperCase()

/** Preview of a chosen file: its picture, or a sheet with its extension. Decorative: the name stands beside it. */
export function PhotoPreview({ file }: { file: File }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [drawn, setDrawn] = useState(false)

  useEffect(() => {
    let gone = false
    const target = canvas.current
    if (!target || file.type === 'application/pdf') return
    inTurn(async () => {
      if (!gone) await draw(file, target)
    }).then(
      () => !gone && setDrawn(true),
      () => {},
    )
    return () => {
      gone = true
      setDrawn(false)
    }
  }, [file])

  return (
    <span className={styles.preview} aria-hidden="true">
      <canvas className={styles.canvas} ref={canvas} hidden={!drawn} />
      {!drawn && <Sheet label={kindOf(file.name)} />}
    </span>
  )
}
