export interface OrbSettings {
  /** Rotation of the hue from pink, in degrees. */
  hue?: number
  /** Distortion while the pointer is over the orb, from 0; 1 moves a point by up to 0.14 of the orb's half width each way. */
  intensity?: number
  /** Whether the orb turns while the pointer is over it. */
  turnsOnHover?: boolean
}

/** Maximum side of the canvas in pixels: more would not show in this soft shape, but would slow down cheap phones. */
const MAX_CANVAS_SIDE_PX = 640

const VERTEX = `attribute vec2 p;varying vec2 q;void main(){q=p;gl_Position=vec4(p,0.,1.);}`
const FRAGMENT = `precision mediump float;varying vec2 q;
uniform float time,hue,hover,turn;
vec3 hueShift(vec3 c,float a){const vec3 k=vec3(.57735);return c*cos(a)+cross(k,c)*sin(a)+k*dot(k,c)*(1.-cos(a));}
float wave(float a,float s){return sin(a*3.+time*.7+s)*.5+sin(a*5.-time*.45+s*2.)*.3+sin(a*2.+time*.25)*.2;}
void main(){
float c=cos(turn),s=sin(turn);vec2 uv=mat2(c,-s,s,c)*q;
uv.x+=hover*.14*sin(uv.y*9.+time);uv.y+=hover*.14*sin(uv.x*9.+time);
float r=length(uv),a=atan(uv.y,uv.x);
float edge=.72+.05*wave(a,0.);
float ring=exp(-pow(abs(r-edge)*9.,1.4));
float halo=exp(-pow(abs(r-edge)*3.2,2.))*.4;
float spark=smoothstep(.85,1.,sin(a+time*.6))*ring;
vec3 pink=vec3(1.,.18,.56),wine=vec3(.5,.1,.42),gold=vec3(.94,.8,.5);
vec3 col=mix(wine,pink,.5+.5*sin(a*2.+time*.4))*(ring+halo)+gold*spark*.9;
col=hueShift(col,hue);
float alpha=clamp(max(max(col.r,col.g),col.b),0.,1.)*smoothstep(1.,.9,r);
gl_FragColor=vec4(col*smoothstep(1.,.9,r),alpha);}`

/**
 * Returns whether the browser has WebGL, and a graphics chip draws it instead of the processor. In browsers that mask the
 * renderer's name the answer may be wrong.
 */
function hasGraphicsChip(): boolean {
  const gl = document.createElement('canvas').getContext('webgl', { failIfMajorPerformanceCaveat: true })
  if (!gl) return false
  const rendererName = String(gl.getParameter(gl.RENDERER))
  const debugInfo = rendererName === 'WebKit WebGL' ? gl.getExtension('WEBGL_debug_renderer_info') : null
  const name = debugInfo ? String(gl.getParameter(debugInfo.UNMASKED_RENDERER_WEBGL)) : rendererName
  gl.getExtension('WEBGL_lose_context')?.loseContext()
  return !/swiftshader|llvmpipe|softpipe|basic render/i.test(name)
}

/**
 * Draws the orb until it is stopped; pauses while the orb is out of view.
 * @returns a function that stops the drawing; undefined if WebGL is missing or fails, or if no graphics chip draws it, since a
 * decoration is not worth the processor of a cheap phone
 */
export function drawOrb(canvas: HTMLCanvasElement, settings: Required<OrbSettings>): (() => void) | undefined {
  if (!hasGraphicsChip()) return undefined
  const gl = canvas.getContext('webgl', { antialias: false, powerPreference: 'low-power' })
  const program = gl?.createProgram()
  if (!gl || !program) return undefined
  for (const [shaderType, source] of [
    [gl.VERTEX_SHADER, VERTEX],
    [gl.FRAGMENT_SHADER, FRAGMENT],
  ] as const) {
    const shader = gl.createShader(shaderType)
    if (!shader) return undefined
    gl.shaderSource(shader, source)
    gl.compileShader(shader)
    gl.attachShader(program, shader)
  }
  gl.linkProgram(program)
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) return undefined
  gl.useProgram(program)
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer())
  // One triangle covers the whole square.
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 3, -1, -1, 3]), gl.STATIC_DRAW)
  gl.enableVertexAttribArray(0)
  gl.bindAttribLocation(program, 0, 'p')
  gl.vertexAttribPointer(gl.getAttribLocation(program, 'p'), 2, gl.FLOAT, false, 0, 0)
  const uniform = (name: string) => gl.getUniformLocation(program, name)
  const [timeUniform, bendUniform, turnUniform] = ['time', 'hover', 'turn'].map(uniform)
  gl.uniform1f(uniform('hue'), (settings.hue * Math.PI) / 180)

  let isPointerOver = false
  let bend = 0
  let turnedRadians = 0
  let previousMs = performance.now()
  let frame = 0
  const draw = (now: number) => {
    const seconds = Math.min(0.1, (now - previousMs) / 1000)
    previousMs = now
    bend += ((isPointerOver ? settings.intensity : 0) - bend) * 0.1
    if (isPointerOver && settings.turnsOnHover) turnedRadians += seconds * 0.3
    gl.uniform1f(timeUniform!, now / 1000)
    gl.uniform1f(bendUniform!, bend)
    gl.uniform1f(turnUniform!, turnedRadians)
    gl.drawArrays(gl.TRIANGLES, 0, 3)
    // From here on the stylesheet hides the gradient.
    canvas.dataset.live = ''
    frame = requestAnimationFrame(draw)
  }
  const resizeObserver = new ResizeObserver(() => {
    const side = Math.min(MAX_CANVAS_SIDE_PX, Math.round(canvas.clientWidth * devicePixelRatio))
    canvas.width = side
    canvas.height = side
    gl.viewport(0, 0, side, side)
  })
  const viewObserver = new IntersectionObserver(([entry]) => {
    cancelAnimationFrame(frame)
    if (entry?.isIntersecting) frame = requestAnimationFrame(draw)
  })
  // The orb is behind the text and gets no pointer events, so the window's are read.
  const followPointer = ({ clientX, clientY, pointerType }: PointerEvent) => {
    const { left, top, width } = canvas.getBoundingClientRect()
    isPointerOver =
      pointerType !== 'touch' && Math.hypot(clientX - left - width / 2, clientY - top - width / 2) < width * 0.4
  }
  resizeObserver.observe(canvas)
  viewObserver.observe(canvas)
  addEventListener('pointermove', followPointer, { passive: true })
  return () => {
    cancelAnimationFrame(frame)
    resizeObserver.disconnect()
    viewObserver.disconnect()
    removeEventListener('pointermove', followPointer)
    delete canvas.dataset.live
    gl.getExtension('WEBGL_lose_context')?.loseContext()
  }
}
