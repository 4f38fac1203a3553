// The microphone's sound in mono chunks of 20 ms, each with the number of its first sample.
class Chunks extends AudioWorkletProcessor {
  samples = new Int16Array(0);
  count = 0;

  constructor() {
    super();
    this.size = Math.round(sampleRate / 50);
    this.begin();
  }
  begin() { [this.samples, this.count] = [new Int16Array(this.size), 0]; }
  process([channels]) {
    const length = channels[0]?.length ?? 0;
    for (let i = 0; i < length; i += 1) {
      if (!this.count) this.first = currentFrame + i;
      let sum = 0;
      for (const channel of channels) sum += channel[i];
      this.samples[this.count++] = Math.max(-32768, Math.min(32767, Math.round((sum / channels.length) * 32768)));
      if (this.count < this.size) continue;
      this.port.postMessage({ first: this.first, samples: this.samples.buffer }, [this.samples.buffer]);
      this.begin();
    }
    return true;
  }
}
registerProcessor("chunks", Chunks);
