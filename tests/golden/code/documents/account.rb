require "json"
require_relative "money"

# Accounts.
module Bank
  # One account.
  class Account < Record
    attr_reader :owner, :balance

    LIMIT = 500

    def initialize(owner)
      @owner = owner
      @balance = 0
    end

    # Takes money out.
    def withdraw(amount)
      raise ArgumentError, "too much" if amount > LIMIT

      if amount > @balance
        notify(:overdrawn, by: amount - @balance)
      else
        @balance -= amount
      end
    end

    def self.open(owner, &block)
      new(owner).tap(&block)
    end
  end
end

describe Bank::Account do
  it "starts empty" do
    expect(Bank::Account.new("a").balance).to eq 0
  end
end
