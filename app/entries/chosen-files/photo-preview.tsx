import { useEffect, useRef, useState } from 'react'
import styles from './photo-preview.module.css'
import { countPixels, HEADER_BYTES, MAX_PIXELS } from './pixel-count.ts'
import { SheetIcon } from './sheet-icon.tsx'

/** Width of a preview in device pixels: its tile has 96 CSS pixels, on a screen of triple density. */
const WIDTH_PX = 288

let lastDecoding: Promise<unknown> = Promise.resolve()

/** Runs the decoding of photographs one after another, since five of twelve megapixels at once would take 250 MB on a phone. */
export function decodeInTurn<Result>(decode: () => Promise<Result>): Promise<Result> {
  const result = lastDecoding.then(decode)
  lastDecoding = result.catch(() => {})
  return result
}

async function drawPreview(file: File, canvas: HTMLCanvasElement) {
  const pixelCount = countPixels(new Uint8Array(await file.slice(0, HEADER_BYTES).arrayBuffer()))
  if (pixelCount !== undefined && pixelCount > MAX_PIXELS) throw new Error('Too large to be drawn')
  // Only the reduced picture stays in memory. The call fails for HEIC if the system has no decoder.
  const bitmap = await createImageBitmap(file, { resizeWidth: WIDTH_PX, resizeQuality: 'medium' })
  canvas.width = bitmap.width
  canvas.height = bitmap.height
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0)
  bitmap.close()
}

const extensionOf = (name: string) => (/\.([a-z0-9]{2,4})$/i.exec(name)?.[1] ?? '').toUpperCase()

/** Shows a chosen file's picture, or a sheet with its extension. Screen readers skip it, since the file's name follows. */
export function PhotoPreview({ file }: { file: File }) {
  const canvasRef = useRef<HTMLCanvasElement>(null)
  const [isDrawn, setIsDrawn] = useState(false)

  useEffect(() => {
    let isUnmounted = false
    const canvas = canvasRef.current
    if (!canvas || file.type === 'application/pdf') return
    decodeInTurn(async () => {
      if (!isUnmounted) await drawPreview(file, canvas)
    }).then(
      () => !isUnmounted && setIsDrawn(true),
      () => {},
    )
    return () => {
      isUnmounted = true
      setIsDrawn(false)
    }
  }, [file])

  return (
    <span className={styles.preview} aria-hidden="true">
      <canvas className={styles.canvas} ref={canvasRef} hidden={!isDrawn} />
      {!isDrawn && <SheetIcon label={extensionOf(file.name)} />}
    </span>
  )
}
