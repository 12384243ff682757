import Foundation

/// Counts down.
@objc public class Timer: NSObject {
    private var left: Int
    var onEnd: (() -> Void)?

    init(seconds: Int) {
        self.left = seconds
    }

    /// One second is over.
    func tick() {
        guard left > 0 else {
            return
        }
        left -= 1
        if left == 0 {
            onEnd?()
        }
    }
}

extension Timer {
    static func minute() -> Timer { Timer(seconds: 60) }
}

protocol Ticking {
    func tick()
}
